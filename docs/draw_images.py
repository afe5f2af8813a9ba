"""Draws the pictures of the documentation: the demo's effects, and its report on a screen and on a phone.

usage: python docs/draw_images.py      (needs selenium, Debian's chromium and chromium-driver)
"""

import shutil
import tempfile
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from pugam.command_line.demo import demo

IMAGES = Path(__file__).parent / "images"
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars")
STEPS = 6  # of the slider, to the right of the estimate


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


def main() -> None:
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


if __name__ == "__main__":
    main()
