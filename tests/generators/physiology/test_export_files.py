"""Exports of real wearers: read whole, refused by file, row and field, moved by whole weeks."""

from __future__ import annotations

import csv
import datetime as dt
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from generators.environments.wearables.export_files import Wearables, fitted, read_wearables
from generators.environments.wearables.export_files.summaries import read_hearts, read_nights
from generators.environments.wearables.physiology import Signals
from generators.inputs import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

REAL = Path(__file__).parents[4] / "shared" / "data" / "pause"
FIRST = dt.date(2016, 4, 1)
NAMES = {
    "Steps": "minute_steps",
    "Calories": "minute_calories",
    "METs": "minute_mets",
    "Intensity": "minute_intensities",
}
HEART = [
    "Date",
    "Unnamed: 0",
    *("resting_hr", "avg_hr", "max_hr", "min_hr"),
    *("zone_Below_minutes", "zone_Fat Burn_minutes", "zone_Cardio_minutes", "zone_Peak_minutes"),
]
SLEEP = ["Date", *(f"total_{kind}_minutes" for kind in ("sleep", "light", "deep", "rem")), "segments_json"]
SEGMENT = {
    "start_time": "2016-04-01T22:50:30",
    "end_time": "2016-04-02T06:20:30",
    "duration_minutes": 450,
    "light_minutes": 400,
    "deep_minutes": 30,
    "rem_minutes": 20,
}


def value(column: str, day: int, minute: int) -> str:
    active = minute // 60 == 12
    return {
        "Steps": str(100 + day if active else 0),
        "Calories": "4.565" if active else "1.2",
        "METs": "45" if active else "10",
        "Intensity": "2" if active else "0",
    }[column]


def american(day: dt.date, minute: int) -> str:
    hour = minute // 60
    half = "AM" if hour < 12 else "PM"
    return f"{day.month}/{day.day}/{day.year} {(hour + 11) % 12 + 1}:{minute % 60:02d}:00 {half}"


def iso(day: dt.date, minute: int) -> str:
    return f"{day.isoformat()} {minute // 60:02d}:{minute % 60:02d}:00"


def minute_rows(
    column: str, days: int, ids: tuple[str, ...], form: Callable[[dt.date, int], str], left_out: tuple[int, int] | None
) -> list[list[str]]:
    return [
        [wearer, form(FIRST + dt.timedelta(days=day), minute), value(column, day, minute)]
        for wearer in ids
        for day in range(days)
        for minute in range(1_440)
        if (day, minute) != left_out
    ]


def write(path: Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def export(
    folder: Path,
    days: int = 2,
    ids: tuple[str, ...] = ("1503960366",),
    form: Callable[[dt.date, int], str] = iso,
    left_out: tuple[int, int] | None = None,
) -> Path:
    folder.mkdir(exist_ok=True)
    for column, name in NAMES.items():
        rows = minute_rows(column, days, ids, form, left_out if column == "METs" else None)
        write(folder / f"{name}.csv", ["Id", "ActivityMinute", column], rows)
    return folder


def heart(folder: Path, **changed: str) -> None:
    cells = dict(
        zip(HEART, ["2016-04-01", "5", "53.0", "71.3", "135.0", "53.0", "1317.5", "76.1", "6.7", "0.0"], strict=True)
    )
    write(folder / "daily_heartrate.csv", HEART, [list((cells | changed).values())])


def sleep(folder: Path, segments: object = None, **changed: str) -> None:
    told = [SEGMENT] if segments is None else segments
    cells = dict(zip(SLEEP, ["2016-04-01", "450", "400", "30", "20", json.dumps(told)], strict=True))
    write(folder / "daily_sleep.csv", SLEEP, [list((cells | changed).values())])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(tmp_path_factory.mktemp("exports") / "whole")


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    for file in whole.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def only(wearables: Wearables) -> Signals:
    (signals,) = wearables.signals.values()
    return signals


def test_an_export_is_read_minute_by_minute(folder: Path) -> None:
    heart(folder)
    sleep(folder)
    signals = only(read_wearables(folder))
    first, second = signals.days
    assert (first.date, second.date) == ("2016-04-01", "2016-04-02")
    assert first.steps == bytes(720) + bytes([100]) * 60 + bytes(660)
    assert sum(second.steps) == 60 * 101
    assert set(first.mets) == {10, 45}
    assert set(first.intensity) == {0, 2}
    # 4.565 kcal are 456.5 hundredths, halves are rounded up.
    assert first.calories[1_440:1_442] == (457).to_bytes(2, "little")
    assert first.calories[:2] == (120).to_bytes(2, "little")
    assert first.heart is not None
    assert (first.heart.resting, first.heart.average_tenths, first.heart.highest) == (53, 713, 135)
    assert first.heart.zone_minutes == (1_318, 76, 7, 0)
    assert second.heart is None
    assert not any(first.heart_rate)
    (night,) = signals.nights
    assert (night.light, night.deep, night.rem, night.asleep) == (400, 30, 20, 450)
    assert [(s.start, s.minutes, s.stage) for s in night.segments] == [("2016-04-01T22:50:00", 450, "asleep")]
    assert signals.workouts == ()


def test_american_times_and_the_usual_names_say_the_same(whole: Path, tmp_path: Path) -> None:
    other = export(tmp_path / "other", form=american)
    usual = {"minute_mets": "minuteMETsNarrow_merged", "minute_steps": "minuteStepsNarrow_merged"}
    for name, told in usual.items():
        (other / f"{name}.csv").rename(other / f"{told}.csv")
    assert read_wearables(other).signals == read_wearables(whole).signals


def test_the_content_names_the_folder(folder: Path, whole: Path) -> None:
    assert read_wearables(folder).sha256 == read_wearables(whole).sha256
    heart(folder)
    assert read_wearables(folder).sha256 != read_wearables(whole).sha256


def test_wearers_take_turns(tmp_path: Path) -> None:
    wearables = read_wearables(export(tmp_path / "two", days=1, ids=("7", "3")))
    assert list(wearables.signals) == ["3", "7"]
    assert wearables.of(3) == wearables.signals["7"]


def test_a_day_with_a_hole_was_not_recorded(tmp_path: Path) -> None:
    signals = only(read_wearables(export(tmp_path / "holed", days=3, left_out=(1, 600))))
    assert [day.device for day in signals.days] == [0, None, 0]
    assert set(signals.days[1].calories) == {120, 0}
    assert not any(signals.days[1].steps)


def test_the_last_day_may_end_early(tmp_path: Path) -> None:
    folder = export(tmp_path / "short", days=2)
    for name in NAMES.values():
        path = folder / f"{name}.csv"
        lines = path.read_text().splitlines()
        path.write_text("\n".join(lines[: 1 + 1_440 + 615]) + "\n")
    assert [day.minutes for day in only(read_wearables(folder)).days] == [1_440, 615]


def replace_row(folder: Path, name: str, row: int, text: str) -> None:
    path = folder / f"{name}.csv"
    lines = path.read_text().splitlines()
    lines[row - 1] = text
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("name", "row", "text", "field", "fault"),
    [
        ("minute_steps", 3, "1503960366,2016-04-01 00:01:00,251", "Steps", "not between 0 and 250"),
        ("minute_steps", 3, "1503960366,2016-04-01 00:01:00,-1", "Steps", "not between"),
        ("minute_steps", 3, "1503960366,2016-04-01 00:01:00,x", "Steps", "not a number"),
        ("minute_steps", 3, "1503960366,2016-04-01 00:01:00,", "Steps", "is missing"),
        ("minute_steps", 3, "1503960366,2016-04-01 00:01:00,1.5", "Steps", "not a whole number"),
        ("minute_steps", 3, "1503960366,2016-04-01 00:01:00,NaN", "Steps", "not between"),
        ("minute_steps", 3, ",2016-04-01 00:01:00,0", "Id", "is missing"),
        ("minute_mets", 9, "1503960366,2016-13-01 00:01:00,10", "ActivityMinute", "not a date"),
        ("minute_mets", 9, "1503960366,2016-04-01 24:01:00,10", "ActivityMinute", "not a time"),
        ("minute_mets", 9, "1503960366,2016-04-01 00:01:30,10", "ActivityMinute", "not a full minute"),
        ("minute_mets", 9, "1503960366,2016-04-01 00:01:00,10", "ActivityMinute", "there twice"),
        ("minute_mets", 9, "1503960366,2016-04-01 00:07:00", "", "2 cells under 3 columns"),
        ("minute_intensities", 5, "1503960366,2016-04-01 00:03:00,4", "Intensity", "not between 0 and 3"),
        ("minute_calories", 5, "1503960366,2016-04-01 00:03:00,1e9", "Calories", "not between"),
    ],
)
def test_a_bad_row_is_named(folder: Path, name: str, row: int, text: str, field: str, fault: str) -> None:
    replace_row(folder, name, row, text)
    with pytest.raises(InputError) as error:
        read_wearables(folder)
    message = str(error.value)
    assert message.startswith(f"{name}.csv: row {row}: {field}")
    assert fault in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"Date": "1.4.2016"}, "Date"),
        ({"resting_hr": "12"}, "resting_hr"),
        ({"max_hr": "61"}, "avg_hr"),
        ({"zone_Below_minutes": "1440"}, "zone_Below_minutes"),
        ({"zone_Peak_minutes": "-1"}, "zone_Peak_minutes"),
    ],
)
def test_a_bad_heart_rate_is_named(folder: Path, changed: dict[str, str], field: str) -> None:
    heart(folder, **changed)
    with pytest.raises(InputError, match=f"^daily_heartrate.csv: row 2: {field}"):
        read_wearables(folder)


@pytest.mark.parametrize(
    ("segments", "changed", "field"),
    [
        (None, {"total_sleep_minutes": "451"}, "total_sleep_minutes"),
        (None, {"total_deep_minutes": "40", "total_light_minutes": "390"}, "total_light_minutes"),
        (None, {"segments_json": "[{]"}, "segments_json"),
        ([SEGMENT | {"duration_minutes": 460}], {}, "segments_json"),
        ([SEGMENT | {"start_time": "yesterday"}], {}, "segments_json"),
        ([SEGMENT | {"rem_minutes": -1}], {}, "segments_json"),
        ([SEGMENT | {"start_time": "2016-04-03T22:50:30", "end_time": "2016-04-04T06:20:30"}], {}, "segments_json"),
    ],
)
def test_a_bad_night_is_named(folder: Path, segments: object, changed: dict[str, str], field: str) -> None:
    sleep(folder, segments, **changed)
    with pytest.raises(InputError, match=f"^daily_sleep.csv: row 2: {field}"):
        read_wearables(folder)


def test_what_is_missing_is_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        read_wearables(tmp_path / "nowhere")
    (folder / "minute_steps.csv").write_text("Id,ActivityMinute,Count\n")
    with pytest.raises(InputError, match=r"^minute_steps.csv: row 1: Steps: is not among the columns"):
        read_wearables(folder)
    (folder / "minute_steps.csv").write_bytes(b"Id,ActivityMinute,Steps\n\xff\xfe\n")
    with pytest.raises(InputError, match=r"^minute_steps.csv: cannot be read"):
        read_wearables(folder)
    (folder / "minute_steps.csv").unlink()
    with pytest.raises(InputError, match=r"holds no minute_steps.csv"):
        read_wearables(folder)


def test_two_files_of_one_kind_are_refused(folder: Path) -> None:
    (folder / "minuteStepsNarrow_merged.csv").write_text("")
    with pytest.raises(InputError, match="leave one of them out"):
        read_wearables(folder)


def test_a_heart_rate_of_nobody_is_not_given_to_all(tmp_path: Path) -> None:
    folder = export(tmp_path / "two", days=1, ids=("3", "7"))
    heart(folder)
    with pytest.raises(InputError, match=r"^daily_heartrate.csv: row 1: Id: is missing, while .* 2 wearers"):
        read_wearables(folder)


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Wearables:
    folder = export(tmp_path_factory.mktemp("exports") / "long", days=10)
    sleep(folder)
    heart(folder)
    return read_wearables(folder)


@pytest.mark.parametrize("later", range(3, 17))
def test_days_are_moved_by_whole_weeks(long: Wearables, later: int) -> None:
    now = dt.datetime(2025, 6, 1, 10, 30) + dt.timedelta(days=later)
    days = [now.date() - dt.timedelta(days=back) for back in range(5, -1, -1)]
    shown = fitted(only(long), days, now)
    assert [day.date for day in shown.days] == [day.isoformat() for day in days]
    assert [day.minutes for day in shown.days] == [1_440] * 5 + [630]
    for day in shown.days:
        if day.device is not None and sum(day.steps):
            original = FIRST + dt.timedelta(days=sum(day.steps) // 60 - 100)
            assert original.weekday() == dt.date.fromisoformat(day.date).weekday()
    assert sum(day.device is not None for day in shown.days) >= 4
    assert all(night.segments[-1].start < now.isoformat() for night in shown.nights)


def test_a_short_export_leaves_days_without_a_device(whole: Path) -> None:
    now = dt.datetime(2025, 6, 4, 23, 59)
    days = [now.date() - dt.timedelta(days=back) for back in range(29, -1, -1)]
    shown = fitted(only(read_wearables(whole)), days, now)
    assert len(shown.days) == 30
    assert sum(day.device is not None for day in shown.days) in (1, 2)
    assert {len(day.mets) for day in shown.days[:-1]} == {1_440}


@pytest.mark.skipif(not REAL.is_dir(), reason="the published summaries are not here")
def test_published_summaries_are_read_whole() -> None:
    hearts = read_hearts(REAL / "heartrate_summary.csv", ["only"])
    nights = read_nights(REAL / "sleep_summary.csv", ["only"])
    assert len(hearts) == 45
    assert len(nights) == 63
    assert hearts["only", "2016-03-29"].zone_minutes == (1_318, 76, 7, 0)
    assert nights["only", "2016-03-11"].asleep == 497
