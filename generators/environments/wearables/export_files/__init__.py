"""Signals of real wearers from a folder of Fitbit exports, instead of invented ones.

The four minute files are required, the two daily ones are read where they are; each goes by its plain name or by the
name under which Fitbit exports are passed around:

| file | columns |
|---|---|
| `minute_steps.csv`, `minuteStepsNarrow_merged.csv` | Id, ActivityMinute, Steps 0..250 |
| `minute_calories.csv`, `minuteCaloriesNarrow_merged.csv` | Id, ActivityMinute, Calories in kcal |
| `minute_mets.csv`, `minuteMETsNarrow_merged.csv` | Id, ActivityMinute, METs in tenths |
| `minute_intensities.csv`, `minuteIntensitiesNarrow_merged.csv` | Id, ActivityMinute, Intensity 0..3 |
| `daily_heartrate.csv`, `heartrate_summary.csv` | Date; resting_hr, avg_hr, max_hr, min_hr; zone_Below_minutes, \
zone_Fat Burn_minutes, zone_Cardio_minutes, zone_Peak_minutes |
| `daily_sleep.csv`, `sleep_summary.csv` | Date, total_sleep_minutes, total_light_minutes, total_deep_minutes, \
total_rem_minutes, segments_json |

Daily files need a column Id too when the minute files hold more than one wearer. Other columns are not read.
"""

from __future__ import annotations

from generators.environments.wearables.export_files.fit import fitted
from generators.environments.wearables.export_files.read import Wearables, export_files, read_wearables

__all__ = ["Wearables", "export_files", "fitted", "read_wearables"]
