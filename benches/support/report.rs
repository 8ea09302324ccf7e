//! Draws the rows of a bench: one HTML file, `target/bench/<bench>.html`, with plots in it and no other file or host.
//!
//! `--save NAME` keeps the rows of a run, and `--against NAME` draws another run next to the kept one.

use std::{fs, hint::black_box, path::Path, time::Instant};

use plotters::{coord::Shift, prelude::*};
use serde_json::{Value, json};

use super::figures::CALIBRATION;

/// Lines of a plot: each has a name, and points from left to right.
pub struct Plot {
    pub title: String,
    pub x: &'static str,
    pub y: &'static str,
    pub lines: Vec<(String, Vec<(f64, f64)>)>,
}

/// What a report shows.
pub struct Report<'r> {
    pub bench: &'r str,
    pub command: &'r str,
    pub machine: &'r str,
    pub rows: &'r [Value],
    pub plots: &'r [Plot],
}

const COLOURS: [RGBColor; 7] = [
    RGBColor(0x1f, 0x5f, 0x8b),
    RGBColor(0xc4, 0x4e, 0x12),
    RGBColor(0x2e, 0x7d, 0x32),
    RGBColor(0x7b, 0x1f, 0xa2),
    RGBColor(0x8d, 0x6e, 0x00),
    RGBColor(0xad, 0x14, 0x57),
    RGBColor(0x45, 0x5a, 0x64),
];

const WIDTH: u32 = 960;
const LINE_HEIGHT: u32 = 24;
const MARGINS: u32 = 110;
const NAMES_WIDTH: u32 = 330;

/// The time of a fixed computation, in milliseconds. It shows how much a machine is disturbed while a bench runs.
pub fn calibrate() -> f64 {
    let begun = Instant::now();
    let mut state = 1_u64;
    for _ in 0..5_000_000 {
        state = black_box(state).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    }
    black_box(state);
    begun.elapsed().as_secs_f64() * 1000.0
}

impl Report<'_> {
    /// Writes the report, and keeps the rows if that is wanted.
    pub fn write(&self, save: Option<&str>, against: Option<&str>) {
        let folder = Path::new("target/bench");
        let kept = |name: &str| folder.join("kept").join(format!("{}-{name}.json", self.bench));
        if let Some(name) = save {
            let path = kept(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("creating the folder of kept runs");
            fs::write(path, json!(self.rows).to_string()).expect("keeping the rows");
        }
        let before = against.map(|name| read_kept(&kept(name)));
        let html = self.html(before.as_deref());
        fs::create_dir_all(folder).expect("creating the folder of reports");
        fs::write(folder.join(format!("{}.html", self.bench)), html).expect("writing the report");
    }

    fn html(&self, before: Option<&[Value]>) -> String {
        let mut parts = vec![self.head()];
        for plot in self.plots {
            parts.push(lines(plot));
        }
        parts.extend(self.bars(before));
        parts.push(self.table(before));
        format!(
            "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{0}</title>\n<style>{STYLE}</style>\n<h1>{0}</h1>\n{1}\n</html>\n",
            escaped(self.bench),
            parts.join("\n")
        )
    }

    fn head(&self) -> String {
        let mut noise: Vec<f64> = self.rows.iter().filter_map(|row| row[CALIBRATION].as_f64()).collect();
        noise.sort_by(f64::total_cmp);
        let noise = match noise.as_slice() {
            [least, .., most] => format!(
                "The same computation took {least:.1} to {most:.1} ms beside the rows: that is the noise of the machine."
            ),
            _ => String::new(),
        };
        format!(
            "<p><code>{}</code></p><p>{}, {}. {noise}</p>",
            escaped(self.command),
            escaped(self.machine),
            chrono::Utc::now().date_naive()
        )
    }

    /// A chart for the percentiles, and one for each other figure.
    fn bars(&self, before: Option<&[Value]>) -> Vec<String> {
        let mut figures: Vec<String> = Vec::new();
        for (name, value) in self.rows.iter().filter_map(Value::as_object).flatten() {
            if value.is_number() && name != CALIBRATION && !figures.contains(name) {
                figures.push(name.clone());
            }
        }
        // A figure of one row is in the table.
        figures.retain(|name| self.rows.iter().filter(|row| row[name.as_str()].is_number()).count() > 1);
        let is_percentile = |name: &String| {
            let last = name.rsplit('_').next().and_then(|last| last.strip_prefix('p'));
            last.is_some_and(|percent| percent.parse::<u32>().is_ok())
        };
        let (percentiles, others): (Vec<String>, Vec<String>) = figures.into_iter().partition(is_percentile);
        let mut charts = Vec::new();
        if !percentiles.is_empty() {
            charts.push(dots("Milliseconds", self.rows, &percentiles, None));
        }
        charts.extend(
            others
                .iter()
                .map(|name| dots(name, self.rows, std::slice::from_ref(name), None)),
        );
        if let Some(before) = before {
            for name in percentiles.iter().chain(&others) {
                let title = format!("{name}: this run against the kept one; 1 is equal");
                charts.push(dots(&title, self.rows, std::slice::from_ref(name), Some(before)));
            }
        }
        charts
    }

    fn table(&self, before: Option<&[Value]>) -> String {
        let mut lines = Vec::new();
        for row in self.rows {
            let figures = row
                .as_object()
                .into_iter()
                .flatten()
                .filter(|(name, _)| *name != "name");
            let cells: Vec<String> = figures
                .map(|(name, value)| {
                    let ratio = before.and_then(|before| ratio(row, before, name));
                    let ratio = ratio.map_or_else(String::new, |ratio| format!(" ({ratio:.2}×)"));
                    let value = value
                        .as_f64()
                        .map_or_else(|| value.to_string(), |value| format!("{value:.4}"));
                    format!("<td>{} {value}{ratio}</td>", escaped(name))
                })
                .collect();
            lines.push(format!("<tr><th>{}</th>{}</tr>", escaped(name_of(row)), cells.join("")));
        }
        format!("<table>{}</table>", lines.join("\n"))
    }
}

const STYLE: &str = "body{font:16px/1.4 sans-serif;max-width:1000px;margin:2rem auto;padding:0 1rem}\
    table{border-collapse:collapse;font-size:14px}th{text-align:left;font-weight:normal;padding-right:1rem}\
    td{padding:2px 10px;text-align:right;font-variant-numeric:tabular-nums}svg{max-width:100%;height:auto}";

fn read_kept(path: &Path) -> Vec<Value> {
    let read = fs::read(path)
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok());
    read.unwrap_or_else(|| panic!("no kept run {}; keep one with --save NAME", path.display()))
}

fn name_of(row: &Value) -> &str {
    row["name"].as_str().unwrap_or_default()
}

/// A figure of a row, as a multiple of the same figure of the kept run.
fn ratio(row: &Value, before: &[Value], figure: &str) -> Option<f64> {
    let same = before.iter().find(|old| name_of(old) == name_of(row))?;
    let ratio = row[figure].as_f64()? / same[figure].as_f64()?;
    ratio.is_finite().then_some(ratio)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The least and the greatest of some numbers above zero, with room around them.
fn bounds(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let numbers = numbers.filter(|number| *number > 0.0 && number.is_finite());
    let (low, high) = numbers.fold((f64::INFINITY, 0.0_f64), |(low, high), number| {
        (low.min(number), high.max(number))
    });
    (low.is_finite()).then_some((low * 0.8, high * 1.25))
}

/// A chart with a line for each row and a dot for each figure, on a logarithmic axis.
fn dots(title: &str, rows: &[Value], figures: &[String], before: Option<&[Value]>) -> String {
    let value = |row: &Value, figure: &str| match before {
        Some(before) => ratio(row, before, figure),
        None => row[figure].as_f64(),
    };
    let rows: Vec<&Value> = rows
        .iter()
        .filter(|row| {
            figures
                .iter()
                .any(|figure| value(row, figure).is_some_and(|value| value > 0.0))
        })
        .collect();
    let all = rows
        .iter()
        .flat_map(|row| figures.iter().filter_map(|figure| value(row, figure)));
    let Some((low, high)) = bounds(all) else {
        return String::new();
    };
    let count = rows.len();
    let name = |at: &f64| {
        let row = (*at as usize)
            .checked_sub(1)
            .and_then(|number| rows.get(count.checked_sub(number + 1)?));
        row.map_or_else(String::new, |row| name_of(row).to_owned())
    };
    let height = count as u32 * LINE_HEIGHT + MARGINS;
    draw(title, height, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .margin_right(30)
            .x_label_area_size(30)
            .y_label_area_size(NAMES_WIDTH)
            .build_cartesian_2d((low..high).log_scale(), 0.0..count as f64 + 1.0)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .y_labels(count + 2)
            .x_label_formatter(&label)
            .y_label_formatter(&name)
            .draw()?;
        for (number, figure) in figures.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let points = rows.iter().enumerate().filter_map(|(place, row)| {
                Some((value(row, figure).filter(|value| *value > 0.0)?, (count - place) as f64))
            });
            chart
                .draw_series(points.map(|point| Circle::new(point, 4, colour.filled())))?
                .label(figure.as_str())
                .legend(move |(x, y)| Circle::new((x + 8, y), 4, colour.filled()));
        }
        if figures.len() > 1 {
            chart
                .configure_series_labels()
                .background_style(WHITE)
                .border_style(BLACK)
                .draw()?;
        }
        Ok(())
    })
}

/// A chart of lines, on logarithmic axes.
fn lines(plot: &Plot) -> String {
    let points = || plot.lines.iter().flat_map(|(_, points)| points);
    let (Some((left, right)), Some((low, high))) = (
        bounds(points().map(|point| point.0)),
        bounds(points().map(|point| point.1)),
    ) else {
        return String::new();
    };
    draw(&plot.title, 460, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .margin_right(30)
            .x_label_area_size(40)
            .y_label_area_size(70)
            .build_cartesian_2d((left..right).log_scale(), (low..high).log_scale())?;
        chart
            .configure_mesh()
            .x_desc(plot.x)
            .y_desc(plot.y)
            .x_label_formatter(&label)
            .y_label_formatter(&label)
            .draw()?;
        for (number, (name, points)) in plot.lines.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            chart
                .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(3))?
                .label(name.as_str())
                .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 16, y)], colour.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.7))
            .border_style(BLACK)
            .draw()?;
        Ok(())
    })
}

/// A number at an axis, without the digits that a binary fraction adds.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature of the library")]
fn label(number: &f64) -> String {
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// An SVG with a heading.
fn draw(title: &str, height: u32, fill: impl FnOnce(&Area) -> Drawn) -> String {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        area.fill(&WHITE).expect("an SVG in memory");
        fill(&area).expect("an SVG in memory");
        area.present().expect("an SVG in memory");
    }
    format!("<h2>{}</h2>\n{svg}", escaped(title))
}
