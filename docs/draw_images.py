"""Draws the pictures of the documentation: the demo's effects and report, an interaction; the sloth's.

usage: python docs/draw_images.py            (needs Debian's chromium and chromium-driver)
       python docs/draw_images.py FOLDER     those of presence_only.md; the folder holds bradypus.csv
"""

import doctest
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from pugam import PUGAM
from pugam.command_line.demo import demo
from pugam.presentation.panels import LINE, MARK, ZERO, make_panels

IMAGES = Path(__file__).parent / "images"
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars")
STEPS = 6  # of the slider, to the right of the estimate

CLIMATE = {
    "tmn6190_ann": "minimum temperature, 0.1 °C",
    "pre6190_ann": "annual rain, unit of the source",
    "dtr6190_ann": "daily range of temperature, 0.1 °C",
    "cld6190_ann": "cloud cover, %",
}
RAIN, JULY = "pre6190_ann", "pre6190_l7"
EFFECTS = -8.0, 12.0  # where the vertical axis ends: the band of the wettest places does not
DEVIANCES, LIMIT = 16.0, 3.84
SHARES = 0.01, 0.03, 0.1, 0.3
GREEN, PURPLE = "#009E73", "#CC79A7"


def open_browser(folder: str) -> webdriver.Chrome:
    """Start a browser without a window, whose files go to a folder."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


def take(browser: webdriver.Chrome, name: str, width: int, height: int, mobile: bool) -> None:
    """Take a picture of what a screen of this size shows."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.save_screenshot(str(IMAGES / name))


def formula(*columns: str) -> str:
    """Write a formula of smooth terms."""
    return " + ".join(f"s({column})" for column in columns)


def draw_sloth(folder: Path) -> None:
    """Fit the models of presence_only.md, and draw what they say of climate, of pi, and of the order of sites."""
    sites = pd.read_csv(folder / "bradypus.csv")
    X, z = sites.drop(columns="y"), sites["y"]
    climate = formula(*CLIMATE)
    model = PUGAM(climate, estimate="mode").fit(X, z)
    wettest = X.loc[z == 0, RAIN].max()
    kept = (z == 0) | (X[RAIN] <= wettest)
    rivals = {
        "annual rain": (climate, z >= 0, LINE, "-"),
        "July rain in its place": (climate.replace(RAIN, JULY), z >= 0, MARK, "--"),
        f"annual rain, {(~kept).sum()} records less": (climate, kept, GREEN, "-."),
    }
    fixed = {pi: PUGAM(climate, pi=pi).fit(X, z) for pi in SHARES}
    save(draw_climate(model, wettest), "presence_effects.png")
    save(draw_profiles(rivals, X, z), "presence_profiles.png")
    save(draw_fixed({pi: fixed[pi] for pi in (SHARES[0], SHARES[-1])}), "presence_sensitivity.png")
    save(draw_ranking(fixed, X[z == 0]), "presence_ranking.png")


def save(figure: Figure, name: str) -> None:
    """Write a figure to the folder of images."""
    figure.savefig(IMAGES / name, dpi=110)


def draw_climate(model: PUGAM, wettest: float) -> Figure:
    """Draw the effects, with a mark where the background ends."""
    figure, panels = make_panels(len(CLIMATE), 4.2, 2.8, columns=2)
    model.plot(axes=panels)
    for ax, label in zip(panels, CLIMATE.values(), strict=True):
        low, high = ax.get_ylim()
        ax.set_ylim(max(low, EFFECTS[0]), min(high, EFFECTS[1]))
        ax.set_title("")
        ax.set_xlabel(label)
        ax.set_ylabel("")
    rain = panels[list(CLIMATE).index(RAIN)]
    rain.axvline(wettest, color=MARK, linewidth=1.0, linestyle="--")
    rain.annotate(
        f"the wettest\nbackground point, {wettest:g}",
        (wettest, 0.0),
        (5, 12),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        fontsize=8,
    )
    figure.supylabel("effect on log g/h", fontsize=10)
    return figure


def draw_profiles(rivals: dict[str, tuple[str, pd.Series, str, str]], X: pd.DataFrame, z: pd.Series) -> Figure:
    """Draw the deviance of several models with pi fixed at many values, by default and by the rows alone."""
    figure, panels = make_panels(2, 4.4, 3.6)
    shares = np.concatenate([np.geomspace(0.0005, 0.01, 15, endpoint=False), np.linspace(0.01, 0.6, 60)])
    for ax, options in zip(panels, ({}, {"pi_prior": None, "shrinkage": "never"}), strict=True):
        for name, (terms, rows, colour, style) in rivals.items():
            model = PUGAM(terms, estimate="mode", **options).fit(X[rows], z[rows])
            label = "_" if options else name  # once in the legend
            ax.plot(shares, model.sensitivity(shares).deviance, style, color=colour, linewidth=1.8, label=label)
            ax.plot(model.pi_, 0.0, "o", color=colour, clip_on=False)
        ax.axhline(LIMIT, color=ZERO, linewidth=0.8)
        ax.annotate("95%", (0.6, LIMIT), ha="right", va="bottom", fontsize=8)
        ax.set_ylim(0.0, DEVIANCES)
        ax.set_xlim(0.0, 0.6)
        ax.set_xlabel("share pi of the background that is occupied, fixed at")
        title = "no prior, no ridge" if options else "default: prior, and a ridge where pi is in doubt"
        ax.set_title(title, fontsize=10)
    panels[0].set_ylabel("deviance")
    figure.legend(loc="outside upper center", ncols=len(rivals), frameon=False, fontsize=9)
    return figure


def draw_fixed(fixed: dict[float, PUGAM]) -> Figure:
    """Draw the curves of models with pi fixed at one value or another, each with its band."""
    figure, panels = make_panels(len(CLIMATE), 4.2, 2.8, columns=2)
    for ax, (column, label) in zip(panels, CLIMATE.items(), strict=True):
        for (pi, model), colour, style in zip(fixed.items(), (PURPLE, GREEN), ("-", "--"), strict=True):
            curve = model.effect(column)
            ax.fill_between(curve["x"], curve["lower"], curve["upper"], color=colour, alpha=0.15, linewidth=0.0)
            ax.plot(curve["x"], curve["u"], style, color=colour, linewidth=1.8, label=f"pi fixed at {pi}")
        ax.axhline(0.0, color=ZERO, linewidth=0.8, zorder=0)
        ax.set_ylim(*EFFECTS)
        ax.set_xlabel(label)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False)
    figure.supylabel("effect on log g/h", fontsize=10)
    return figure


def draw_ranking(fixed: dict[float, PUGAM], background: pd.DataFrame) -> Figure:
    """Draw P(present) at background points, all in the order that the second pi gives them."""
    figure, (ax,) = make_panels(1, 6.4, 3.6)
    order = np.argsort(-fixed[SHARES[1]].log_density_ratio(background))
    places = np.arange(1, len(order) + 1)
    for pi, colour in zip(reversed(SHARES), (GREEN, MARK, LINE, PURPLE), strict=True):
        present = fixed[pi].predict_proba(background)[order, 1]
        ax.plot(places, present, ".", markersize=3.0, color=colour, label=f"pi = {pi}")
    ax.set_ylim(0.0, 1.0)
    ax.set_xlim(0.0, len(order))
    ax.set_xlabel(f"background points, most suitable first (at pi = {SHARES[1]})")
    ax.set_ylabel("P(present)")
    ax.legend(frameon=False, fontsize=9, markerscale=3.0)
    return figure


def draw_demo() -> None:
    """Run the demo, open its report, move the slider, and take pictures."""
    with tempfile.TemporaryDirectory() as folder:
        demo(out=Path(folder), quiet=True)
        shutil.copy(Path(folder, "effects.png"), IMAGES / "effects.png")
        browser = open_browser(str(Path(folder, "browser")))
        browser.get(Path(folder, "report.html").as_uri())
        take(browser, "report_top.png", 1100, 620, mobile=False)
        slider = browser.find_element(By.ID, "slider")
        slider.send_keys(Keys.ARROW_RIGHT * STEPS)
        browser.execute_script("arguments[0].scrollIntoView({block: 'start'})", slider)
        take(browser, "report_slider.png", 1100, 820, mobile=False)
        size = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        chart = browser.find_element(By.ID, "effect-1")
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'}); arguments[0].focus()", chart)
        chart.send_keys(Keys.HOME, *([Keys.ARROW_RIGHT] * 20))
        take(browser, "report_phone.png", 360, 740, mobile=True)
        browser.quit()


def draw_interactions() -> None:
    """Run the page on interactions up to its model, and draw the terms of several columns."""
    page = (IMAGES.parent / "howto" / "interactions.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(page):
        if "model" not in names:
            exec(example.source, names)
    save(names["model"].plot(terms=["ti(age, bmi)", "dose:sex"]), "interactions.png")


def main() -> None:
    """Draw the sloth's pictures if the folder of its table is given, else the demo's and those of interactions."""
    if len(sys.argv) > 1:
        draw_sloth(Path(sys.argv[1]))
    else:
        draw_interactions()
        draw_demo()


if __name__ == "__main__":
    main()
