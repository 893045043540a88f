"""Processes that measure load no pandas."""

from __future__ import annotations

import subprocess
import sys


def said(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_arrow_makes_arrays_without_pandas_which_can_be_loaded_later() -> None:
    code = (
        "import sys\nfrom avh_ui.scan.lean_arrow import without_pandas\nwithout_pandas()\n"
        "import numpy as np, pyarrow as pa, pyarrow.compute as pc\n"
        "made = pa.array([1.5, None]), pa.array(np.arange(3)), pa.array(['a']).dictionary_encode(), pc.add(pa.array([1]), 1)\n"
        "shown = [a.to_pylist() for a in made], pa.array([1, None]).to_numpy(zero_copy_only=False).tolist()\n"
        "print(shown, 'pandas' in sys.modules)\n"
        "import pandas as pd\nprint(len(pd.DataFrame({'a': np.arange(3)})))"
    )
    assert said(code).splitlines() == ["([[1.5, None], [0, 1, 2], ['a'], [2]], [1.0, nan]) False", "3"]


def test_who_has_pandas_already_keeps_arrows_conversions() -> None:
    code = (
        "import pandas as pd\nfrom avh_ui.scan.lean_arrow import without_pandas\nwithout_pandas()\n"
        "import pyarrow as pa\nprint(pa.Table.from_pandas(pd.DataFrame({'a': [1]})).to_pandas()['a'].tolist())"
    )
    assert said(code) == "[1]"


def test_a_worker_loads_no_pandas() -> None:
    code = (
        "import io, sys\nfrom avh_ui.local import worker\n"
        "class Ended: buffer = io.BytesIO()\n"
        "sys.stdin = Ended\nworker.main()\nimport pyarrow as pa\npa.array([1])\n"
        "print('pandas' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "False"
