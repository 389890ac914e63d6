"""statsmodels costs a second to import: only a SARIMA fit may pay it."""

from __future__ import annotations

import subprocess
import sys


def test_asking_for_a_forecast_of_a_constant_load_does_not_import_statsmodels() -> None:
    program = (
        "import sys, numpy as np\n"
        "import schedplan.forecast.demand\n"
        "from schedplan.forecast.options import ForecastOptions\n"
        "from schedplan.forecast.pipeline import forecast_series\n"
        "from schedplan.model.forecast import Series\n"
        "forecast_series(Series('load', 0, 3600, np.ones(100)), ForecastOptions(24))\n"
        "print('statsmodels' in sys.modules, 'pandas' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "False"]
