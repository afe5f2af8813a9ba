"""The page of a report in a browser: the slider, values under the pointer, hostile names, phones, and no network."""

import json
import shutil
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.presentation.report.content import Folding
from pugam.presentation.report.page import render

webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
CHROMEDRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (CHROMIUM and CHROMEDRIVER), reason="needs chromium and chromedriver")

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WIDE, PHONE = (1200, 900), (360, 740)
ONE_LINE = 8  # pixels: less than from one line to the next
HOSTILE = "<script>window.hacked=1</script>"


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('browser')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(CHROMEDRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def files(tmp_path_factory, example, fixed, hostile, mapped, sampled, of_kinds, several):
    folder = tmp_path_factory.mktemp("pages")
    made = {"example": example, "fixed": fixed, "hostile": hostile, "mapped": mapped, "sampled": sampled}
    made["of_kinds"] = of_kinds
    for name, content in made.items():
        (folder / f"{name}.html").write_text(render(content), encoding="utf-8")
    many = tuple(replace(effect, label=f"s(marker {n})") for n in range(5) for effect in example.effects)
    folding = Folding(12, 4, tuple(effect.label for effect in many[-4:]))
    (folder / "many.html").write_text(render(replace(example, effects=many, folding=folding)), encoding="utf-8")
    several.report(folder / "several.html")
    fitted_to_hostile_names().report(folder / "fitted.html", title=HOSTILE)
    fitted_to_a_wide_table().report(folder / "wide.html")
    return folder


def fitted_to_hostile_names():
    """A model of two curves and a factor, whose names and levels would do harm if they were not text."""
    data = simulate(2, n0=600, n=900, random_state=0)
    X = data.X[["x1", "x2"]].set_axis([HOSTILE, '"><img src=x onerror=window.hacked=1>'], axis=1)
    X["site"] = np.where(data.X["x3"] > 0.5, "</script><script>window.hacked=1</script>", "plain")
    return PUGAM().fit(X, data.z)


def fitted_to_a_wide_table():
    """A model of forty numbers with long names and a factor with longer ones."""
    rng = np.random.default_rng(0)
    y = rng.random(1000) < 0.5
    shifts = np.where(np.arange(40) < 20, 0.6, 0.0)
    X = pd.DataFrame(rng.normal(size=(1000, 40)) + np.outer(y, shifts)).rename(columns="laboratory_value_{:02d}".format)
    X["referring_institution"] = rng.choice(["Universitätsklinikum", "Rehabilitationseinrichtung", "unknown"], 1000)
    z = (y & (rng.random(1000) < 0.5)).astype(int)
    formula = " + ".join(X.columns[:40]) + " + f(referring_institution)"
    return PUGAM(formula, estimate="mode", check=False).fit(X, z)


@pytest.fixture
def open_page(driver, files):
    """Open a page at a size, with empty logs."""

    def go(name, size=WIDE):
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == PHONE}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        driver.get("about:blank")
        for log in ("browser", "performance"):
            driver.get_log(log)
        driver.get((files / f"{name}.html").as_uri())

    return go


@pytest.fixture
def page(driver, open_page):
    open_page("example")
    return SimpleNamespace(slider=driver.find_element(By.ID, "slider"), back=driver.find_element(By.ID, "back"))


def requests(driver):
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]


def text(driver, selector):
    return driver.find_element(By.CSS_SELECTOR, selector).text


def outline(driver, selector):
    return driver.find_element(By.CSS_SELECTOR, selector).get_attribute("d")


def broken_words(driver):
    """Words and numbers in sight of which parts stand on different lines; underscores are places to break."""
    return driver.execute_script(r"""
        const broken = [], texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
        for (let node = texts.nextNode(); node; node = texts.nextNode()) {
          const around = node.parentElement;
          if (!around.checkVisibility() || around.closest("svg, .unseen, pre")) continue;
          for (const word of node.textContent.matchAll(/[\p{L}\p{N}_.,%+\u2212]+/gu)) {
            const range = document.createRange();
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            const lines = [...range.getClientRects()].filter((box) => box.width > 0).map((box) => Math.round(box.top));
            if (new Set(lines).size > 1) broken.push(word[0]);
          }
        }
        return broken;
    """)


def moved_parts(driver):
    """Everything that the slider is to move."""
    charts = [f"#effect-{place} .what-if" for place in range(6)]
    cells = driver.execute_script(
        "return [...document.querySelectorAll('.candidates td.moving')].map((cell) => cell.textContent)"
    )
    return {
        "curves": [outline(driver, chart) for chart in charts],
        "histogram": outline(driver, "#histogram .what-if"),
        "candidates": cells,
        "text": text(driver, "#slider-text"),
    }


def move_to(driver, element, x=0, y=0):
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    webdriver.ActionChains(driver, duration=0).move_to_element_with_offset(element, x, y).perform()


def tooltip_sides(driver):
    script = "const box = document.getElementById('tooltip').getBoundingClientRect(); return [box.left, box.right]"
    return driver.execute_script(script)


@pytest.mark.parametrize("name", ["example", "fixed", "hostile", "fitted", "mapped", "sampled", "of_kinds", "several"])
def test_page_opens_without_complaints_or_requests(driver, open_page, files, name):
    open_page(name)

    assert driver.get_log("browser") == []
    assert [url for url in requests(driver) if not url.startswith("data:")] == [(files / f"{name}.html").as_uri()]


def test_slider_moves_curves_histogram_candidates_and_text(driver, page, example):
    before = moved_parts(driver)

    page.slider.send_keys(Keys.END)
    after = moved_parts(driver)

    assert before["curves"] == [""] * 6
    assert all(len(curve) > 50 for curve in after["curves"])
    assert before["histogram"] == ""
    assert len(after["histogram"]) > 50
    assert before["candidates"][-1] == "96.3%"
    assert after["candidates"][-1] == "98.8%"
    assert "pi = 24.4% (the estimate)" in before["text"]
    assert "inside the 95% interval" in before["text"]
    assert "pi = 50.0% (estimate 24.4%)" in after["text"]
    assert "outside the 95% interval" in after["text"]
    assert "48.5% of the unlabelled rows" in after["text"]


def test_button_returns_to_the_estimate(driver, page):
    before = moved_parts(driver)
    page.slider.send_keys(Keys.END)
    assert page.back.is_enabled()

    page.back.click()

    assert moved_parts(driver) == before
    assert not page.back.is_enabled()


def test_arrow_keys_move_the_slider_one_value_at_a_time(driver, page, example):
    estimate = example.fixed_pi.estimate

    page.slider.send_keys(Keys.ARROW_RIGHT)
    assert text(driver, "#what-if-pi") == f"{100 * example.fixed_pi.pi[estimate + 1]:.1f}%"
    page.slider.send_keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert text(driver, "#what-if-pi") == f"{100 * example.fixed_pi.pi[estimate - 1]:.1f}%"
    assert page.slider.get_attribute("aria-valuetext") == f"pi = {text(driver, '#what-if-pi')}"


def test_curve_held_at_another_pi_lies_where_the_scale_puts_it(driver, page, example):
    page.slider.send_keys(Keys.HOME)

    drawn = [tuple(map(float, pair.split())) for pair in outline(driver, "#effect-0 .what-if")[1:].split("L")]
    at_estimate = [tuple(map(float, p.split())) for p in outline(driver, "#effect-0 .line")[1:].split("L")]

    # Both charts are straight maps, so that drawn effects keep their proportions.
    effect = example.effects[0]
    (_, y0), (_, y1) = at_estimate[0], at_estimate[-1]
    per_unit = (y1 - y0) / (effect.u[-1] - effect.u[0])
    assert [x for x, _ in drawn] == pytest.approx([x for x, _ in at_estimate], abs=0.11)
    expected = [y0 + per_unit * (u - effect.u[0]) for u in effect.with_pi_fixed[0]]
    assert [y for _, y in drawn] == pytest.approx(expected, abs=0.2)


def test_pointer_shows_the_values_of_a_curve(driver, page):
    chart = driver.find_element(By.ID, "effect-0")

    move_to(driver, chart)
    shown = text(driver, "#tooltip")

    assert "mean radius" in shown
    assert "effect" in shown
    assert "factor on the odds" in shown
    move_to(driver, driver.find_element(By.TAG_NAME, "h1"))
    assert not driver.find_element(By.ID, "tooltip").is_displayed()


def test_values_name_effect_interval_and_odds_as_in_the_content(driver, page, example):
    chart = driver.find_element(By.ID, "effect-5")

    driver.execute_script("arguments[0].focus()", chart)
    chart.send_keys(Keys.END, Keys.ARROW_UP)
    lines = [line.text for line in driver.find_elements(By.CSS_SELECTOR, "#tooltip div")]

    effect = example.effects[5]
    u, lower, upper = effect.u[3], effect.lower[3], effect.upper[3]
    assert " ".join(lines[0].split()) == "clinic Dresden"
    assert " ".join(lines[1].split()) == f"effect {u:.3f} ({lower:.4f} to {upper:.2f})"
    assert lines[2].startswith("factor on the odds")
    chart.send_keys(Keys.ESCAPE)
    assert not driver.find_element(By.ID, "tooltip").is_displayed()


def test_arrow_keys_lead_along_a_curve_and_to_missing_values(driver, page):
    chart = driver.find_element(By.ID, "effect-3")
    driver.execute_script("arguments[0].focus()", chart)

    chart.send_keys(Keys.HOME)
    first = text(driver, "#tooltip div")
    chart.send_keys(Keys.ARROW_RIGHT)
    second = text(driver, "#tooltip div")
    chart.send_keys(Keys.END)

    assert " ".join(first.split()) == "age 20.0"
    assert " ".join(second.split()) == "age 21.2"
    assert " ".join(text(driver, "#tooltip div").split()) == "age missing"


def test_values_tell_what_another_pi_would_change(driver, page):
    page.slider.send_keys(Keys.END)

    move_to(driver, driver.find_element(By.ID, "effect-0"), x=50)

    assert "with pi = 50.0%" in text(driver, "#tooltip .moved")


def test_pointer_shows_the_rows_behind_a_column_of_the_histogram(driver, page, example):
    chart = driver.find_element(By.ID, "histogram")
    driver.execute_script("arguments[0].focus()", chart)

    chart.send_keys(Keys.HOME)

    share = example.fixed_pi.histogram[example.fixed_pi.estimate][0]
    assert f"{100 * share:.1f}% of the rows, about {466 * share:.0f}" in text(driver, "#tooltip")


def test_slider_stays_in_sight_while_curves_pass(driver, open_page):
    for size in (WIDE, PHONE):
        open_page("hostile", size)
        driver.execute_script("document.getElementById('effect-50').scrollIntoView({block: 'center'})")

        top = driver.execute_script("return document.querySelector('.slider').getBoundingClientRect().top")

        assert top == pytest.approx(0, abs=1)


def test_hostile_names_do_nothing(driver, open_page, hostile):
    open_page("hostile")
    driver.find_element(By.ID, "slider").send_keys(Keys.END)
    for place in (0, 1, 2, 3):
        move_to(driver, driver.find_element(By.ID, f"effect-{place}"))

    # Asking for the title fails where an alert is open.
    assert driver.title == hostile.title
    assert driver.execute_script("return window.hacked === undefined")
    assert len(driver.find_elements(By.TAG_NAME, "script")) == 2
    assert driver.find_elements(By.TAG_NAME, "img") == []
    assert len(driver.find_elements(By.TAG_NAME, "style")) == 1
    assert hostile.effects[3].column in driver.find_element(By.ID, "tooltip").get_attribute("textContent")
    assert driver.get_log("browser") == []


def test_the_page_of_a_fitted_model_moves_and_shows_its_names_as_text(driver, open_page):
    open_page("fitted")
    before = outline(driver, "#effect-0 .what-if")

    driver.find_element(By.ID, "slider").send_keys(Keys.HOME)
    move_to(driver, driver.find_element(By.ID, "effect-0"))

    assert outline(driver, "#effect-0 .what-if") != before
    assert driver.title == HOSTILE
    move_to(driver, driver.find_element(By.XPATH, "//figure[contains(., 's(<script>')]//*[name()='svg']"))
    assert HOSTILE in driver.find_element(By.ID, "tooltip").get_attribute("textContent")
    assert driver.execute_script("return window.hacked === undefined")
    assert driver.get_log("browser") == []


@pytest.mark.parametrize(
    "name",
    [
        "hostile",
        "sampled",
        "of_kinds",
        *(pytest.param(name, marks=pytest.mark.long) for name in ("example", "fitted", "mapped", "several")),
    ],
)
def test_nothing_sticks_out_on_a_phone(driver, open_page, name):
    open_page(name, PHONE)
    for place in (0, 2):
        chart = driver.find_element(By.ID, f"effect-{place}")
        driver.execute_script("arguments[0].focus()", chart)
        for key in (Keys.HOME, Keys.END):
            chart.send_keys(key)
            left, right = tooltip_sides(driver)
            assert left >= 0
            assert right <= PHONE[0]

    assert driver.execute_script("return document.documentElement.scrollWidth") <= PHONE[0]
    assert driver.execute_script("return window.innerWidth") == PHONE[0]


def test_a_map_shows_values_under_the_pointer_and_by_arrow_keys(driver, open_page, mapped):
    open_page("mapped")
    chart, surface = driver.find_element(By.ID, "effect-1"), mapped.effects[1].surface
    driver.execute_script("arguments[0].focus()", chart)

    chart.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_UP)

    lines = [" ".join(line.text.split()) for line in driver.find_elements(By.CSS_SELECTOR, "#tooltip div")]
    row, column = 16, 17
    assert lines[0] == f"age {surface.x[column]:.1f}"
    assert lines[1] == f"bmi {surface.y[row]:.1f}"
    assert lines[2].startswith(f"effect {surface.u[row, column]:.4f} (")
    assert lines[3].startswith("factor on the odds")
    assert len(lines) == 4
    chart.send_keys(Keys.END)
    assert "no rows near" in text(driver, "#tooltip")
    move_to(driver, chart, x=60, y=-60)
    assert "effect" in text(driver, "#tooltip")


def test_the_slider_moves_slices_and_leaves_maps(driver, open_page):
    open_page("mapped")
    shapes = "return [...document.querySelectorAll('#effect-1 path')].map((path) => path.getAttribute('d')).join()"
    before = driver.execute_script(shapes)

    driver.find_element(By.ID, "slider").send_keys(Keys.END)

    assert driver.execute_script(shapes) == before
    moved = [path.get_attribute("d") for path in driver.find_elements(By.CSS_SELECTOR, "#effect-2 .what-if")]
    assert len(moved) == 3
    assert all(len(outline) > 50 for outline in moved)


def test_values_of_several_curves_are_listed_by_name(driver, open_page):
    open_page("mapped")
    driver.find_element(By.ID, "slider").send_keys(Keys.END)
    chart = driver.find_element(By.ID, "effect-2")

    driver.execute_script("arguments[0].focus()", chart)

    names = [line.text.split()[0] for line in driver.find_elements(By.CSS_SELECTOR, "#tooltip div")]
    assert names == ["age", "bmi", "with", "bmi", "with", "bmi", "with"]
    assert len(outline(driver, "#effect-2 .cursor").split("M")) == 4


def test_texts_on_a_map_are_large_enough_on_a_phone(driver, open_page):
    open_page("several", PHONE)
    script = "return [...document.querySelectorAll('#effect-0 text')].map((t) => t.getBoundingClientRect().height)"

    heights = driver.execute_script(script)

    assert len(heights) > 10
    assert min(heights) >= 9.0


def test_labels_of_contour_lines_do_not_overlap(driver, open_page):
    for size in (WIDE, PHONE):
        open_page("several", size)
        script = (
            "return [...document.querySelectorAll('#effect-0 .contour-label')].map((t) => t.getBoundingClientRect())"
            ".map((box) => [box.left, box.right, box.top, box.bottom])"
        )
        boxes = driver.execute_script(script)

        assert len(boxes) >= 2
        for place, (left, right, top, bottom) in enumerate(boxes):
            for left2, right2, top2, bottom2 in boxes[:place]:
                assert right <= left2 or right2 <= left or bottom <= top2 or bottom2 <= top


@pytest.mark.parametrize("width", [PHONE[0], pytest.param(420, marks=pytest.mark.long)])
def test_tables_and_the_diagnosis_are_whole_on_a_phone(driver, open_page, width):
    open_page("example", (width, PHONE[1]))

    boxes = driver.find_elements(By.CSS_SELECTOR, "[aria-labelledby=tests].scroll, [aria-labelledby=candidates].scroll")
    boxes.append(driver.find_element(By.CSS_SELECTOR, "pre.wrapped"))
    hidden = [driver.execute_script("return arguments[0].scrollWidth - arguments[0].clientWidth", box) for box in boxes]

    assert hidden == [0, 0, 0]


def test_what_is_folded_of_a_kind_is_whole_on_a_phone(driver, open_page):
    open_page("of_kinds", PHONE)
    driver.execute_script("document.querySelectorAll('.kind details').forEach((part) => (part.open = true))")

    boxes = driver.find_elements(By.CSS_SELECTOR, ".kind .scroll, .kind pre, [aria-labelledby=kind-1] > .effects")
    hidden = [driver.execute_script("return arguments[0].scrollWidth - arguments[0].clientWidth", box) for box in boxes]

    assert hidden == [0] * 7
    assert driver.execute_script("return document.documentElement.scrollWidth") <= PHONE[0]


@pytest.mark.parametrize(("name", "parts"), [("several", ".reason"), ("wide", ".bounds td.range")])
def test_reasons_and_bounds_keep_to_one_line_each_on_a_phone(driver, open_page, name, parts):
    open_page(name, (390, 844))

    heights = driver.execute_script(
        """
        return [...document.querySelectorAll(arguments[0])].map((part) => {
            const range = document.createRange();
            range.selectNodeContents(part);
            const tops = [...range.getClientRects()].map((box) => box.top);
            return Math.max(...tops) - Math.min(...tops);
        });
        """,
        parts,
    )

    assert max(heights) < ONE_LINE


@pytest.mark.parametrize(
    "name", ["example", *(pytest.param(name, marks=pytest.mark.long) for name in ("mapped", "several"))]
)
def test_odds_ratios_of_plain_names_are_whole_on_a_phone(driver, open_page, name):
    open_page(name, PHONE)

    box = driver.find_element(By.CSS_SELECTOR, "[aria-labelledby=ratios].scroll")

    assert driver.execute_script("return arguments[0].scrollWidth - arguments[0].clientWidth", box) == 0


def test_posteriors_at_another_pi_are_shown_once_the_slider_has_moved(driver, page):
    column = driver.find_element(By.CSS_SELECTOR, ".candidates td.moving")
    assert not column.is_displayed()

    driver.find_element(By.ID, "slider").send_keys(Keys.END)

    assert column.is_displayed()


def test_pi_fixed_can_still_be_moved(driver, open_page):
    open_page("fixed")

    driver.find_element(By.ID, "slider").send_keys(Keys.END)

    assert "pi = 50.0% (value given 24.4%)" in text(driver, "#slider-text")
    assert "interval" not in text(driver, "#slider-text")
    assert driver.get_log("browser") == []


def rows_listed(driver):
    return [row for row in driver.find_elements(By.CSS_SELECTOR, ".candidates > tbody") if row.is_displayed()]


def test_a_chosen_sample_shows_its_share_and_its_rows(driver, open_page, sampled):
    open_page("sampled")
    sample = Select(driver.find_element(By.ID, "sample"))
    columns = outline(driver, "#histogram .column")
    assert len(rows_listed(driver)) == 2

    sample.select_by_value("2")

    assert "pi = 37.0% (the estimate)" in text(driver, "#slider-text")
    assert "inside the 95% interval" in text(driver, "#slider-text")
    assert f"{97 * 0.37:.1f}% of the rows of sample {sampled.samples[1].name}" in text(driver, "#slider-text")
    assert outline(driver, "#histogram .column") != columns
    assert outline(driver, "#histogram .what-if") == ""
    assert moved_parts(driver)["curves"] == [""] * 6
    assert len(rows_listed(driver)) == 10
    assert all(sampled.samples[1].name in row.text for row in rows_listed(driver))
    assert driver.execute_script("return window.hacked === undefined")

    driver.find_element(By.ID, "slider").send_keys(Keys.END)
    highest = sampled.samples[1].fixed_pi.pi[-1]
    assert f"pi = {100 * highest:.1f}% (estimate 37.0%)" in text(driver, "#slider-text")
    assert all(len(curve) > 50 for curve in moved_parts(driver)["curves"])

    sample.select_by_value("0")
    driver.find_element(By.ID, "back").click()
    assert "pi = 24.4% (the estimate)" in text(driver, "#slider-text")
    assert outline(driver, "#histogram .column").count("M") == columns.count("M")
    assert len(rows_listed(driver)) == 2
    assert driver.get_log("browser") == []


def test_columns_drawn_for_a_sample_lie_where_those_of_all_rows_would(driver, open_page):
    script = "const { x, y, width, height } = document.querySelector('#histogram .column').getBBox(); "
    script += "return [x, y, width, height]"
    open_page("sampled")
    before = driver.execute_script(script)
    sample = Select(driver.find_element(By.ID, "sample"))

    sample.select_by_value("1")
    elsewhere = driver.execute_script(script)
    sample.select_by_value("0")

    assert elsewhere[0] == pytest.approx(before[0], abs=0.1)
    assert elsewhere[3] != pytest.approx(before[3], abs=0.5)
    assert driver.execute_script(script) == pytest.approx(before, abs=0.11)


def test_tables_of_samples_and_audits_are_whole_on_a_phone(driver, open_page):
    open_page("sampled", PHONE)
    boxes = driver.find_elements(By.CSS_SELECTOR, "[aria-labelledby=shares].scroll, [aria-labelledby=audit].scroll")

    hidden = [driver.execute_script("return arguments[0].scrollWidth - arguments[0].clientWidth", box) for box in boxes]

    assert hidden == [0, 0]
    assert driver.find_element(By.ID, "sample").size["width"] > 60


def test_charts_and_tables_stand_without_a_script(driver, open_page):
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        open_page("example")

        # The scripts of the driver do not run either: what is seen must be asked for in other ways.
        tree = driver.execute_cdp_cmd("DOMSnapshot.captureSnapshot", {"computedStyles": ["display"]})
    finally:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    document, strings = tree["documents"][0], tree["strings"]
    laid_out = set(document["layout"]["nodeIndex"])
    attributes = [[strings[i] for i in pairs] for pairs in document["nodes"]["attributes"]]
    by_id = {pairs[pairs.index("id") + 1]: place for place, pairs in enumerate(attributes) if "id" in pairs}
    lines = [pairs for place, pairs in enumerate(attributes) if pairs[:2] == ["class", "line"] and place in laid_out]
    assert {by_id[f"effect-{place}"] for place in range(6)} <= laid_out
    assert len(lines) == 6
    assert by_id["histogram"] in laid_out
    assert by_id["slider"] not in laid_out


def test_paper_is_black_on_white_with_the_summary_and_without_controls(driver, page):
    dark = {"name": "prefers-color-scheme", "value": "dark"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": [dark]})
    try:
        driver.execute_script("window.dispatchEvent(new Event('beforeprint'))")

        shown = [one for one in driver.find_elements(By.CSS_SELECTOR, "input, select, button") if one.is_displayed()]
        assert shown == []
        assert "log-likelihood" in text(driver, "details pre")
        assert not driver.find_element(By.CSS_SELECTOR, ".why table").is_displayed()
        colours = (
            "const found = getComputedStyle(document.documentElement); return [found.color, found.backgroundColor]"
        )
        assert driver.execute_script(colours) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    finally:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


@pytest.mark.parametrize("name", ["example", "sampled"])
def test_no_table_is_wider_than_the_paper(driver, open_page, name):
    open_page(name, (688, 1000))  # A4 without its margins
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    try:
        edges = "return [...document.querySelectorAll('table, svg, pre')].map(one => one.getBoundingClientRect().right)"
        assert max(driver.execute_script(edges)) <= 689
    finally:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


@pytest.mark.parametrize(("name", "size"), [("example", WIDE), ("example", (390, 844)), ("several", PHONE)])
def test_a_likely_positive_opens_to_show_why(driver, open_page, name, size):
    open_page(name, size)
    details = driver.find_elements(By.CSS_SELECTOR, ".why details")
    inner = details[1].find_element(By.TAG_NAME, "table")
    assert not inner.is_displayed()

    summary = details[1].find_element(By.TAG_NAME, "summary")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", summary)
    summary.send_keys(Keys.ENTER)

    assert inner.is_displayed()
    lines = [line.text for line in inner.find_elements(By.TAG_NAME, "th")]
    assert (lines[0], lines[-1]) == ("average unlabelled row", "this row")
    assert [detail.get_attribute("open") is not None for detail in details[:3]] == [False, True, False]
    box = driver.find_element(By.CSS_SELECTOR, "[aria-labelledby=candidates].scroll")
    assert driver.execute_script("return arguments[0].scrollWidth - arguments[0].clientWidth", box) == 0
    assert driver.get_log("browser") == []


def test_reasons_follow_their_rows_when_a_sample_is_chosen(driver, open_page):
    open_page("sampled")
    shown = driver.find_elements(By.CSS_SELECTOR, ".why")
    assert sum(one.is_displayed() for one in shown) == 2

    Select(driver.find_element(By.ID, "sample")).select_by_value("2")

    assert sum(one.is_displayed() for one in shown) == 10


def test_hostile_values_of_rows_are_text(driver, open_page):
    open_page("hostile", PHONE)
    driver.execute_script("document.querySelectorAll('.why details').forEach((one) => { one.open = true; })")

    assert driver.execute_script("return window.hacked === undefined")
    assert driver.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")


def charts_in_sight(driver):
    return [
        one.get_attribute("id") for one in driver.find_elements(By.CSS_SELECTOR, ".terms svg") if one.is_displayed()
    ]


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_at_most_twelve_effects_are_open_and_others_unfold(driver, open_page, size):
    open_page("many", size)
    assert charts_in_sight(driver) == [f"effect-{place}" for place in range(12)]

    less, flat = driver.find_elements(By.CSS_SELECTOR, ".fold summary")
    flat.click()

    assert less.text == "14 more, in the order of their importance"
    assert flat.text.startswith("Nearly flat: s(marker 4)")
    assert charts_in_sight(driver)[12:] == [f"effect-{place}" for place in range(26, 30)]


def test_a_search_shows_what_it_finds_and_nothing_else(driver, open_page):
    open_page("many")
    search = driver.find_element(By.ID, "search")

    search.send_keys("MARKER 3")
    assert charts_in_sight(driver) == [f"effect-{place}" for place in range(18, 24)]
    assert text(driver, "#search-found") == "6 of 30 charts"

    search.send_keys(Keys.CONTROL, "a")
    search.send_keys(Keys.DELETE)
    assert len(charts_in_sight(driver)) == 12
    assert text(driver, "#search-found") == ""


@pytest.mark.parametrize("size", [WIDE, (390, 844)])
def test_a_wide_table_leaves_words_whole_and_scrolls_in_boxes_of_its_own(driver, open_page, files, size):
    open_page("wide", size)
    driver.execute_script("document.querySelector('.why details').open = true")

    assert broken_words(driver) == []
    assert driver.execute_script("return document.documentElement.scrollWidth") <= size[0]
    assert driver.get_log("browser") == []
    assert requests(driver) == [(files / "wide.html").as_uri()]
    assert (files / "wide.html").stat().st_size < 3_000_000


def test_a_wide_table_has_all_that_a_page_can_show(driver, open_page):
    open_page("wide")
    reviewed = [cell.text for cell in driver.find_elements(By.CSS_SELECTOR, ".review tbody th")]
    found = [float(cell.text) for cell in driver.find_elements(By.CSS_SELECTOR, ".review tbody td b")]
    bounds = [cell.text for cell in driver.find_elements(By.CSS_SELECTOR, ".bounds tbody th")]

    assert reviewed[:3] == ["10", "20", "50"]
    assert found == sorted(found)
    assert bounds == ["1.5 times", "2 times", "3 times", "5 times", "10 times"]
    assert "by best bin" in text(driver, "pre.wrapped")
    assert len(charts_in_sight(driver)) <= 12


def test_the_ends_of_the_slider_say_what_they_are_for_each_sample(driver, open_page):
    open_page("sampled")
    slider, ends = driver.find_element(By.ID, "slider"), {}

    for sample in ("0", "1"):
        Select(driver.find_element(By.ID, "sample")).select_by_value(sample)
        ends[sample] = text(driver, "#lowest-pi"), text(driver, "#highest-pi")
        for key, end in zip((Keys.HOME, Keys.END), ends[sample], strict=True):
            slider.send_keys(key)
            assert text(driver, "#what-if-pi") == end
    assert ends["0"] != ends["1"]


def test_a_page_of_few_effects_has_no_search(driver, open_page):
    open_page("example")

    assert driver.find_elements(By.ID, "search") == []
    assert driver.find_elements(By.CLASS_NAME, "fold") == []
