"""The users of a run together and one by one: every figure is that of the published tables and arrays."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import Any, cast

import pytest

from flows.cli import main
from generators.environments.wearables import SEEDER, family_of
from generators.environments.wearables.physiology import draw_life
from generators.profiles import make_profile
from publishing.errors import ReleaseError
from publishing.people import Person, find_person, life, people_of, world_of, write_report
from publishing.people.collect import collect
from publishing.people.measures import KINDS, NUMBERS
from publishing.people.person import MINUTES
from publishing.people.report import COMPARED_PICTURE, DAYS_PICTURE, KINDS_PICTURE, NUMBERS_PICTURE
from publishing.people.weeks import weeks_of
from services.runtime.streams import Stream
from tests.generators.physiology.test_export_files import HEART, SLEEP, heart, sleep
from tests.nonempty import nonempty

PNG = b"\x89PNG\r\n"


@pytest.fixture(scope="module")
def people(run: Path) -> list[Person]:
    return nonempty(list(people_of(run)))


def number(words: str, person: Person) -> float | None:
    (found,) = (one for one in NUMBERS if one.words == words)
    return found.of(person)


def test_users_come_by_index_and_can_be_found(run: Path, people: list[Person]) -> None:
    assert [person.profile.index for person in people] == list(range(8))
    assert find_person(run, "u000003").profile == find_person(run, "3").profile == people[3].profile
    with pytest.raises(ReleaseError, match="no user 'u000099' among its 8"):
        find_person(run, "u000099")


def test_the_way_of_life_is_that_of_the_signals() -> None:
    for index in range(20):
        profile = make_profile(5, index)
        stream = Stream(5, "user", index, "environment").child(SEEDER.name, "seed").child("life")
        assert family_of(5, profile) == draw_life(profile, stream)[1].family


def test_series_are_the_published_arrays_of_the_days(people: list[Person]) -> None:
    for person in people:
        steps, now = person.series("steps"), dt.datetime.fromisoformat(person.now)
        assert len(steps) == 29 * MINUTES + 60 * now.hour + now.minute
        for at, date in enumerate(person.dates):
            if date in person.recorded:
                assert sum(steps[at * MINUTES : (at + 1) * MINUTES]) == person.recorded[date]["total_steps"]
        assert person.series("nothing") == []


def test_numbers_are_those_of_the_records(people: list[Person]) -> None:
    for person in people:
        whole = [row for row in person.rows("wearable_days") if row["minutes"] == MINUTES]
        assert number("age, years", person) == person.one("profile")["age"]
        assert number("steps a day", person) == fmean(cast("int", row["total_steps"]) for row in whole)
        assert number("energy a day, kcal", person) == pytest.approx(
            fmean(cast("int", row["total_calories"]) for row in whole) / 100
        )
        assert number("days without a record, of 30", person) == 30 - len(person.rows("wearable_days"))
        asked = [row for row in person.rows("transactions") if row["kind"] == "order"]
        assert number("orders", person) == len(asked)
        worn = sum(cast("int", row["worn"]) for row in person.rows("wearable_days"))
        minutes = sum(cast("int", row["minutes"]) for row in person.rows("wearable_days"))
        assert number("worn, % of recorded days", person) == pytest.approx(100 * worn / minutes)


def test_nobody_without_records_has_a_number() -> None:
    person = Person(make_profile(1, 0), "2026-01-01T10:00:00", {}, {}, "walker")
    assert number("steps a day", person) is None
    assert number("workouts a month", person) is None
    assert number("worn, % of recorded days", person) is None
    assert number("sleep a night, minutes", person) is None


def test_all_users_are_counted(people: list[Person]) -> None:
    found = collect(people)
    assert found.users == len(people)
    assert found.days == sum(len(person.rows("wearable_days")) for person in people)
    assert len(found.numbers["age, years"]) == len(people)
    assert found.kinds["gender"].total() == len(people)
    sports = Counter(str(row["sport"]) for person in people for row in person.rows("workouts"))
    assert found.kinds["workouts by sport"] == sports
    steps = sum(cast("int", row["total_steps"]) for person in people for row in person.whole.values())
    assert sum(sum(found.curves["steps", weekend].total) for weekend in (False, True)) == steps


def real_files(folder: Path) -> Path:
    folder.mkdir()
    heart(folder)
    sleep(folder)
    assert HEART and SLEEP
    return folder


def test_the_report_has_all_figures_and_pictures(
    run: Path, people: list[Person], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = real_files(tmp_path / "real")
    assert main(["report", str(run), "--out", str(tmp_path / "one"), "--compare", str(files)]) == 0
    path = tmp_path / "one" / "README.md"
    assert capsys.readouterr().out.strip() == str(path)
    text = path.read_text("utf-8")
    assert "8 users with" in text
    for one in (*NUMBERS, *KINDS):
        assert f"| {one.words} |" in text
    ages = sorted(person.profile.age for person in people)
    assert f"| age, years | 8 | {ages[0]} |" in text
    assert "## Beside real wearers" in text
    assert "| total sleep, minutes | real | 1 | 450 | 450 |" in text
    for name in (NUMBERS_PICTURE, KINDS_PICTURE, DAYS_PICTURE, COMPARED_PICTURE):
        assert f"({name})" in text
        assert (tmp_path / "one" / name).read_bytes().startswith(PNG)


@pytest.mark.slow
def test_the_same_report_has_the_same_bytes(run: Path, tmp_path: Path) -> None:
    files = real_files(tmp_path / "real")
    for name in ("one", "two"):
        write_report(run, tmp_path / name, files)
    for file in sorted((tmp_path / "one").iterdir()):
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


@pytest.mark.slow
def test_without_real_wearers_nothing_stands_beside(run: Path, tmp_path: Path) -> None:
    assert "Beside real wearers" not in write_report(run, tmp_path / "plain").read_text("utf-8")


def test_the_command_refuses_what_it_cannot_compare(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for command, code, said in (
        (["--compare", str(tmp_path / "nowhere")], 2, "there is no folder"),
        (["--compare", str(empty)], 1, "holds no daily heart rates"),
    ):
        assert main(["report", str(run), "--out", str(tmp_path / "other"), *command]) == code
        assert said in capsys.readouterr().err
    files = real_files(tmp_path / "real")
    heart(files, avg_hr="many")
    assert main(["report", str(run), "--out", str(tmp_path / "other"), "--compare", str(files)]) == 2
    assert "daily_heartrate.csv: row 2: avg_hr: 'many' is not a number" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


def test_weeks_are_calendar_weeks(people: list[Person]) -> None:
    for person in people:
        weeks = weeks_of(person)
        assert [date for week in weeks for date in week] == person.dates
        assert all(dt.date.fromisoformat(week[0]).weekday() == 0 for week in weeks[1:])
        assert all(len(week) == 7 for week in weeks[1:-1])


def rows_of(text: str, title: str) -> list[str]:
    section = text.partition(f"\n## {title}")[2].partition("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("|")][2:]


def test_a_life_tells_all_records(run: Path, people: list[Person]) -> None:
    world = world_of(run)
    for person in people:
        text = life(person, world)
        assert person.profile.narrative in text
        for title, table in (
            ("Workouts", "workouts"),
            ("Nights", "nights"),
            ("Meals", "meals"),
            ("Sessions", "sessions"),
            ("Notes", "notes"),
            ("Reminders", "reminders"),
            ("Care plans", "care_plans"),
            ("Appointments", "appointments"),
            ("Cart", "cart"),
            ("Vouchers", "vouchers"),
        ):
            assert len(rows_of(text, f"{title} (")) == len(person.rows(table)), title
        assert all(str(row["text"]) in text for row in person.rows("notes"))
        days = [line for week in weeks_of(person) for line in rows_of(text, f"Week of {monday(week[0])}")]
        assert len(days) == 30
        assert sum("no record" in line for line in days) == 30 - len(person.recorded)


def monday(date: str) -> str:
    day = dt.date.fromisoformat(date)
    return (day - dt.timedelta(days=day.weekday())).isoformat()


def test_the_energy_of_a_meal_is_that_of_its_foods(run: Path, people: list[Person]) -> None:
    world: Any = world_of(run)
    foods = {row["id"]: row for row in world["foods"]}
    person = next(person for person in people if person.rows("meals"))
    first: Any = min(person.rows("meals"), key=lambda row: str(row["time"]))
    items: Any = [row for row in person.rows("meal_items") if row["meal_id"] == first["id"]]
    kcal = sum(foods[row["food_id"]]["calories_dkcal"] * row["amount_tenths"] for row in items) / 10_000
    assert rows_of(life(person, world), "Meals (")[0].endswith(f"| {kcal:.0f} |")


def test_show_prints_and_draws(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "weeks.png"
    assert main(["show", str(run), "u000001", "--plot", str(picture)]) == 0
    assert "(u000001)" in capsys.readouterr().out.splitlines()[0]
    first = picture.read_bytes()
    assert first.startswith(PNG)
    assert main(["show", str(run), "1", "--plot", str(picture)]) == 0
    assert picture.read_bytes() == first
    capsys.readouterr()
    assert main(["show", str(run), "u000001", "--plot", "weeks.txt"]) == 2
    assert "has to end in .png" in capsys.readouterr().err
    assert main(["show", str(run), "77"]) == 1
    assert main(["show", str(tmp_path / "none"), "0"]) == 2
