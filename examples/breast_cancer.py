"""Hidden malignant tumours: fit scikit-learn's breast cancer table with half of the positive labels masked.

usage: python examples/breast_cancer.py [FOLDER]      (default: demo)
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer

from pugam import PUGAM

FORMULA = "s(`mean radius`) + s(`mean texture`) + s(`mean smoothness`) + s(`mean concave points`) + s(`mean symmetry`)"


def main(folder: Path) -> None:
    """Mask, fit, compare with the truth behind the mask, diagnose, draw."""
    tumours = load_breast_cancer(as_frame=True)
    malignant = (tumours.target == 0).to_numpy()
    diagnosed = malignant & (np.random.default_rng(1).random(len(malignant)) < 0.5)

    model = PUGAM(FORMULA).fit(tumours.data, z=diagnosed)

    hidden = malignant[~diagnosed]
    posterior = model.predict_proba(tumours.data)[~diagnosed, 1]
    print(f"{len(malignant)} tumours: {diagnosed.sum()} diagnosed malignant, {len(hidden)} undiagnosed.")
    print(f"Share of malignant tumours among the undiagnosed, pi = {model.pi_interval()}")
    print(f"  the same from the profile of the likelihood:       {model.pi_interval(method='profile')}")
    print(f"  the truth behind the mask: {hidden.mean():.3f}")
    print(f"  rows on the right side of one half: {np.mean((posterior > 0.5) == hidden):.1%}")
    print(f"\n{model.summary()}")
    diagnosis = model.diagnose()
    print(f"\n{diagnosis}")
    folder.mkdir(parents=True, exist_ok=True)
    model.plot().savefig(folder / "effects.png", dpi=120)
    model.plot("diagnosis", diagnosis=diagnosis).savefig(folder / "diagnosis.png", dpi=120)
    print(f"\nEffect of each feature, with 95% bands: {folder / 'effects.png'}")
    print(f"Profile of pi, starts and calibration:   {folder / 'diagnosis.png'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
