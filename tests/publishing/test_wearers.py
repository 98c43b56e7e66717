"""The wearers of a run beside real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from publishing.wearers import Measured, compare, measured_files, measured_signals, measured_tables, plot, render
from publishing.wearers.measures import MEASURES
from services.wearables.signals import day_of, of_bytes
from tests.generators.physiology.people import population

REAL = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "pause"


def measured(*days: tuple[float, int, tuple[int, int, int, int]]) -> Measured:
    found = Measured()
    for day in days:
        found.add_day(*day)
        found.add_night(400, [("2026-03-01T23:30:00", 200), ("2026-03-02T02:50:00", 215)])
    return found


def test_a_day_counts_from_a_thousand_worn_minutes_on() -> None:
    found = measured((70.0, 150, (900, 60, 30, 10)), (70.0, 150, (900, 60, 30, 9)))
    assert found.values["max_rate"] == [150]
    assert [found.values[zone] for zone in ("below", "fat_burn", "cardio", "peak")] == [[90.0], [6.0], [3.0], [1.0]]


def test_a_bed_time_is_when_the_longest_stretch_began() -> None:
    found = Measured()
    found.add_night(460, [("2026-03-01T14:00:00", 40), ("2026-03-01T23:30:00", 200), ("2026-03-02T02:55:00", 215)])
    found.add_night(119, [("2026-03-02T23:30:00", 119)])
    assert found.values["sleep"] == [460]
    assert found.values["bed"] == [11 * 60 + 30]


def test_where_the_model_differs_is_said() -> None:
    days = [(60.0 + n, 120 + n, (1_200 - n, 100, 60, n)) for n in range(20)]
    alike = compare(measured(*days), measured(*days))
    assert not [row for row in alike if row.differs]
    assert "Nowhere by more" in render(alike)
    other = compare(measured(*days), measured(*((mean + 30, most, zones) for mean, most, zones in days)))
    assert [row.measure for row in other if row.differs] == ["mean_rate"]
    assert "- mean heart rate of a day: median 69.0 against 99.0" in render(other)
    assert next(row for row in other if row.measure == "mean_rate").inside == 0


def test_nothing_to_compare_is_an_error() -> None:
    with pytest.raises(ValueError, match="no total sleep"):
        compare(Measured(), Measured())


def test_published_records_measure_what_the_signals_do() -> None:
    people = [signals for _, _, signals, _ in population(3)]
    tables = [
        {
            "wearable_days": [
                {
                    name: getattr(record, name)
                    for name in (
                        "average_rate",
                        "highest_rate",
                        "zone_below",
                        "zone_fat_burn",
                        "zone_cardio",
                        "zone_peak",
                    )
                }
                for record in (
                    day_of(d.date, of_bytes(d.steps, d.mets, d.intensity, d.heart_rate, d.calories))
                    for d in signals.days
                )
            ],
            "nights": [
                {
                    "asleep": night.asleep,
                    "segments": [{"start": part.start, "minutes": part.minutes} for part in night.segments],
                }
                for night in signals.nights
            ],
        }
        for signals in people
    ]
    told, counted = measured_tables(tables), measured_signals(people)
    for name in MEASURES:
        assert told.values[name] == pytest.approx(counted.values[name], abs=0.05)


def test_plots_are_the_same_bytes_again(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    days = measured(*((60.0 + n, 120 + n, (1_200, 100, 60, n)) for n in range(20)))
    one, other = (plot(days, days, tmp_path / name / "wearers.png").read_bytes() for name in ("one", "other"))
    assert one.startswith(b"\x89PNG")
    assert one == other


def test_a_folder_without_daily_files_measures_nothing(tmp_path: Path) -> None:
    assert measured_files(tmp_path) is None


@pytest.mark.skipif(not REAL.is_dir(), reason="the published summaries are not here")
def test_real_days_lie_within_the_model() -> None:
    real = measured_files(REAL)
    assert real is not None
    rows = compare(measured_signals(signals for _, _, signals, _ in population(60)), real)
    inside = {row.measure: row.inside for row in rows}
    assert all(share >= 60 for share in inside.values()), inside
    # What both sides say most precisely.
    medians = {row.measure: (row.model[2], row.real[2]) for row in rows}
    assert abs(medians["mean_rate"][0] - medians["mean_rate"][1]) < 6
    assert abs(medians["bed"][0] - medians["bed"][1]) < 60
