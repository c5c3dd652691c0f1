"""Tables as they come from other people: every function writes one and returns its path."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

ROWS = 6
VALUES = np.round(np.random.default_rng(7).uniform(1, 9, (ROWS, 3)), 3)
ERRORS = np.round(np.random.default_rng(8).uniform(0.1, 0.9, (ROWS, 3)), 3)


def _text(path: Path, lines: list[str], encoding: str = "utf-8", end: str = "\n") -> Path:
    path.write_bytes((end.join(lines) + end).encode(encoding))
    return path


def instrument_log(folder: Path) -> Path:
    """Comment lines, a header with spaces and units, Windows line ends, a byte order mark."""
    lines = [
        "# Instrument: ACME 3000; operator: J. Doe",
        "# Exported 2024-03-01 12:00",
        "",
        'Sample ID,"Mass (mg)","Mass (mg) err",Temp. [°C],Temp. [°C] err,Remark',
    ]
    for i in range(ROWS):
        lines.append(
            f'A-{i:03},{VALUES[i, 0]},{ERRORS[i, 0]},{VALUES[i, 1]},{ERRORS[i, 1]},"ok, {i}"'
        )
    return _text(folder / "instrument.csv", lines, "utf-8-sig", "\r\n")


def titled(folder: Path) -> Path:
    """A title and a date above the header, with commas in them."""
    lines = ["Study 17, plate B (preliminary)", "", "2024-03-01", "sample;x;x_err;y;y_err"]
    for i in range(ROWS):
        cells = (VALUES[i, 0], ERRORS[i, 0], VALUES[i, 1], ERRORS[i, 1])
        lines.append(";".join([f"s{i}", *(f"{c}".replace(".", ",") for c in cells)]))
    return _text(folder / "titled.csv", lines)


def excel_of_a_laboratory(folder: Path) -> Path:
    """A title, an empty line, the header, a line of units, and a footnote column."""
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.append(["Study 17, plate B (preliminary)"])
    sheet.append([])
    sheet.append(["Probe", "Glucose", "Glucose SD", "Lactate", "Lactate SD", "Note"])
    sheet.append([None, "mmol/L", "mmol/L", "mg/dL", "mg/dL", None])
    for i in range(ROWS):
        sheet.append([f"P{i}", *(float(v) for k in (0, 1) for v in (VALUES[i, k], ERRORS[i, k]))])
    book.save(folder / "laboratory.xlsx")
    return folder / "laboratory.xlsx"


def vizier(folder: Path) -> Path:
    """A catalog as VizieR exports it: `;`, e_ columns, a line of units and one of dashes."""
    lines = [
        "#   VizieR Astronomical Server",
        "#Table\tJ_A_A_000_tablea1:",
        "HIP;Teff;e_Teff;[Fe/H];e_[Fe/H];SpType",
        " ;K;K;[-];[-]; ",
        "------;----;----;-----;-----;------",
    ]
    for i in range(ROWS):
        lines.append(
            f"{100 + i:6};{VALUES[i, 0]};{ERRORS[i, 0]};{VALUES[i, 1]};{ERRORS[i, 1]};G{i}V"
        )
    return _text(folder / "vizier.tsv", lines)


def gaia(folder: Path) -> Path:
    """Sources with 19-digit ids, errors and correlations; empty where there is no solution."""
    lines = [
        "source_id,ra,ra_error,dec,dec_error,parallax,parallax_error,ra_dec_corr,"
        "ra_parallax_corr,dec_parallax_corr,phot_g_mean_mag,has_rvs"
    ]
    for i in range(ROWS):
        cells = [f"{v},{e}" for v, e in zip(VALUES[i], ERRORS[i], strict=True)]
        lines.append(
            f"41982345678901234{i:02},{','.join(cells)},0.1,-0.2,0.3,{12.5 + i},{i % 2 == 0}"
        )
    path = folder / "gaia.csv.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    return path


def exoplanets(folder: Path) -> Path:
    """Asymmetric errors with a sign, as the NASA Exoplanet Archive writes them, and gaps."""
    lines = ["# COLUMN pl_name: Planet Name", "pl_name,pl_mass,pl_masserr1,pl_masserr2,pl_rade"]
    for i in range(ROWS):
        mass = "" if i == 2 else f"{VALUES[i, 0]}"
        lines.append(f"b {i},{mass},{ERRORS[i, 0]},-{ERRORS[i, 1]},{VALUES[i, 1]}")
    return _text(folder / "exoplanets.csv", lines)


def german_spreadsheet(folder: Path) -> Path:
    """Semicolons, decimal commas, thousands with points, UTF-16, missing values as dashes."""
    lines = ["Messstelle;Höhe über dem Meeresspiegel;Abfluss;Abfluss_err"]
    for i in range(ROWS):
        flow = f"{VALUES[i, 0]:.3f}".replace(".", ",")
        error = f"{ERRORS[i, 0]:.3f}".replace(".", ",")
        lines.append(f"Köln {i};{1 + i}.{i}50,5;{flow if i != 4 else '-'};{error}")
    return _text(folder / "pegel.csv", lines, "utf-16")


def accounts(folder: Path) -> Path:
    """Thousands with commas in quotes, beside decimals with a point."""
    lines = ["branch,turnover,turnover_err,staff"]
    for i in range(ROWS):
        lines.append(f'B{i},"{1234 + 1000 * i:,}.50","{100 + i}",{i * i + 3}')
    return _text(folder / "accounts.csv", lines)


def replicates(folder: Path) -> Path:
    """A plate: three biological and two technical replicates of each treatment."""
    rng = np.random.default_rng(3)
    lines = ["well\ttreatment\tbio_rep\ttech_rep\tIL-6\tTNF-alpha"]
    for t, treatment in enumerate(("control", "LPS", "LPS + Dex")):
        for b in range(3):
            for r in range(2):
                a, c = np.round(rng.normal(t, 0.2, 2) + 5, 3)
                lines.append(f"{'ABC'[t]}{2 * b + r + 1}\t{treatment}\t{b + 1}\t{r + 1}\t{a}\t{c}")
    return _text(folder / "plate.tsv", lines)


def questionnaire(folder: Path) -> Path:
    """Mixed types: text, dates, yes and no, numbers with a slip, an empty column."""
    lines = ["respondent,date,smoker,age,score,comment,unused"]
    for i in range(ROWS):
        score = "n.a." if i == 3 else f"{VALUES[i, 0]}"
        lines.append(
            f"r{i},2024-01-0{i + 1},{'yes' if i % 2 else 'no'},{30 + 7 * i % 11},{score},,"
        )
    return _text(folder / "questionnaire.csv", lines)


def long_names(folder: Path) -> Path:
    """A thousand metabolites with names of 40 characters, and their standard errors."""
    names = [f"metabolite {j:04} concentration in plasma"[:40].ljust(40, "x") for j in range(500)]
    rng = np.random.default_rng(5)
    lines = ["patient\t" + "\t".join(f"{n}\t{n} SE" for n in names)]
    for i in range(ROWS):
        cells = rng.uniform(1, 2, 1000).round(4).astype(str)
        lines.append(f"pt{i}\t" + "\t".join(cells))
    return _text(folder / "metabolites.tsv", lines)


def many_rows(folder: Path) -> Path:
    """A hundred thousand rows with an index column that pandas wrote."""
    import pandas as pd

    rng = np.random.default_rng(6)
    values = rng.normal(size=(100_000, 2)).round(4)
    frame = pd.DataFrame({"a": values[:, 0], "a_std": 0.5, "b": values[:, 1], "b_std": 0.25})
    frame.to_csv(folder / "long.csv")
    return folder / "long.csv"


def grades(folder: Path) -> Path:
    """Uncertain cells of every kind, words, and an empty one."""
    lines = [
        "student,M1,M2,P1",
        'Tom,15,good,"[10, 12]"',
        "Ann,14 ± 5.7,12 +0.5 -0.3,",
        'Bob,14.32(6),"N(3, 1)","T(1, 2, 3, 4)"',
    ]
    return _text(folder / "grades.csv", lines)


def fixed_width(folder: Path) -> Path:
    """Text in columns, with a name that has a space and a gap."""
    lines = ["name        flux  flux_err   mag"]
    for i in range(ROWS):
        gap = "     " if i == 1 else f"{VALUES[i, 1]:5.3f}"
        lines.append(f"NGC {100 + i}    {VALUES[i, 0]:5.3f}     {ERRORS[i, 0]:5.3f} {gap}")
    return _text(folder / "sources.dat", lines)


def counts_of_genes(folder: Path) -> Path:
    """Features in rows and samples in columns, with the identifiers in an unnamed column."""
    lines = [",s1,s2,s3,gene_length"]
    for i in range(ROWS):
        lines.append(f"ENSG0000000{i},{i * 3},{i * 5 + 1},{i * i},{1000 + 10 * i}")
    return _text(folder / "counts.csv", lines)


def _rows(header: str, row: str) -> list[str]:
    """A header, and a row for each i in which v, e and w, f are two values and their errors."""
    return [header] + [
        row.format(
            i=i, v=VALUES[i, 0], e=ERRORS[i, 0], w=VALUES[i, 1], f=ERRORS[i, 1],
            lo=round(VALUES[i, 0] - ERRORS[i, 0], 3), hi=round(VALUES[i, 0] + ERRORS[i, 1], 3),
        )
        for i in range(ROWS)
    ]  # fmt: skip


def summaries(folder: Path, header: str = "site,ph_mean,ph_sd,o2_mean,o2_sd") -> Path:
    """Means and standard deviations, as grouped tables of R and pandas have them."""
    return _text(folder / "summaries.csv", _rows(header, "lake {i},{v},{e},{w},{f}"))


def clinical(folder: Path) -> Path:
    """Means with their standard deviations in brackets, as in the tables of medical papers."""
    rows = _rows("Arm,Age,BMI", "arm {i},{v:.1f} ({e:.1f}),{w:.0f} ({f:.1f})")
    return _text(folder / "clinical.csv", rows)


def posterior_quantiles(folder: Path) -> Path:
    """Medians between the 16th and 84th percentiles."""
    rows = _rows("site,conc_q16,conc_median,conc_q84,ph_p50", "s{i},{lo},{v},{hi},{w}")
    return _text(folder / "quantiles.csv", rows)


def meta_analysis(folder: Path) -> Path:
    """Estimates with confidence intervals of a level that is not said."""
    rows = _rows("study,dose,dose_ci_lower,dose_ci_upper,age", "Doe {i},{v},{lo},{hi},{w}")
    return _text(folder / "studies.csv", rows)


def gaia_source(folder: Path) -> Path:
    """Columns of gaia_source: names with spaces, several ids, a ratio of a value and its error."""
    header = "solution_id,designation,source_id,parallax,parallax_error,parallax_over_error,bp_rp"
    rows = _rows(header, "1636148068921376768,Gaia DR3 429580672{i},429580672{i},{v},{e},7.1,{w}")
    return _text(folder / "gaia_source.csv", rows)


def cantons(folder: Path) -> Path:
    """Thousands with apostrophes and with spaces that do not break."""
    row = "K{i};{i}1'234'567;1'2{i}0;1\u202f{i}34,5"
    return _text(folder / "cantons.csv", _rows("Kanton;Einwohner;Einwohner_err;Fläche", row))


def barcodes(folder: Path) -> Path:
    """Codes with leading zeros that are no numbers, and a column of detection limits."""
    row = "plate {i},00{i}7,0{i},{v},<{w}"
    return _text(folder / "barcodes.csv", _rows("name,barcode,ward,mass,lead", row))


def written_by_r(folder: Path) -> Path:
    """What write.table makes: quotes, spaces, and no header above the names of the rows."""
    return _text(folder / "table.txt", _rows('"x" "x_se" "y"', '"row {i}" {v} {e} {w}'))


def published(folder: Path) -> Path:
    """Each value with a column ± behind it."""
    return _text(folder / "published.csv", _rows("sample,x,±,y,±", "s{i},{v},{e},{w},{f}"))


def sentinels(folder: Path) -> Path:
    """-999 for what was not measured."""
    rows = _rows("lake,ph,ph_sd,o2", "L{i},{v},{e},{w}")
    rows[3] = "L2,-999,-999,3.5"
    return _text(folder / "sentinels.csv", rows)


def footnotes(folder: Path) -> Path:
    """A source and a remark below the table."""
    rows = _rows("station,temp,temp_sd,rain", "S{i},{v},{e},{w}")
    return _text(folder / "weather.csv", [*rows, "", "Source: weather service, 2024", "* draft"])


def with_units_in_cells(folder: Path) -> Path:
    """Values, errors and units together in the cells."""
    return _text(folder / "cells.csv", _rows("sample,mass,age", "s{i},{v} ± {e} kg,{w}"))


def sdss(folder: Path) -> Path:
    """What CasJobs exports: a line #Table1, long ids, err_u beside zErr and modelMagErr_g."""
    header = "objid,u,err_u,modelMag_g,modelMagErr_g,z,zErr,class"
    rows = _rows(header, "12376789012345678{i:02},{v},{e},{w},{f},0.1{i},0.0{i}1,GALAXY")
    return _text(folder / "sdss.csv", ["#Table1", *rows])


def sextractor(folder: Path) -> Path:
    """Magnitudes and fluxes of an image, MAGERR_AUTO and FLUXERR beside their values."""
    rows = _rows("NUMBER,MAG_AUTO,MAGERR_AUTO,FLUX,FLUXERR,FLAGS", "{i},{v},{e},{w},{f},0")
    return _text(folder / "image.csv", rows)


def max_quant(folder: Path) -> Path:
    """proteinGroups.txt: tabs, quotes in headers of proteins, marks of contaminants, 0 for none."""
    header = "Protein IDs\tFasta headers\tPeptides\tLFQ intensity A\tLFQ intensity B\tReverse\tid"
    rows = _rows(header, 'P0{i};Q{i}\t>sp|P{i}|X "kinase"\t{i}3\t{v}\t{w}\t\t{i}')
    rows[3] = 'P02;Q2\t>sp|P2|X "kinase"\t23\t0\t4.5\t+\t2'
    return _text(folder / "proteinGroups.txt", rows)


def redcap(folder: Path) -> Path:
    """A clinical form: events, empty columns, dates, boxes that were ticked, and a gap."""
    header = (
        "record_id,redcap_event_name,redcap_repeat_instance,dob,race___1,height_cm,sbp_mean,sbp_sd"
    )
    rows = _rows(header, "{i}01,baseline_arm_1,,196{i}-01-02,1,{w},{v},{e}")
    rows[4] = "301,baseline_arm_1,,1963-01-02,0,5.5,,"
    return _text(folder / "redcap.csv", rows)


def supplement(folder: Path) -> Path:
    """Table S3 of a paper: a title, merged cells above mean and SD, and footnotes."""
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.append(["Table S3. Concentrations in serum"])
    sheet.append([])
    sheet.append(["Patient", "Glucose", None, "Lactate", None])
    sheet.append([None, "mean", "SD", "mean", "SD"])
    for i in range(ROWS):
        sheet.append([f"P{i}", *(float(v) for k in (0, 1) for v in (VALUES[i, k], ERRORS[i, k]))])
    for text in ([], ["a) n = 3 for each patient"], ["b) below the limit of detection"]):
        sheet.append(text)
    sheet.merge_cells("B3:C3")
    sheet.merge_cells("D3:E3")
    book.save(folder / "supplement.xlsx")
    return folder / "supplement.xlsx"


def european(folder: Path) -> Path:
    """A byte order mark, semicolons, decimal commas with exponents, and a separator at each end."""
    rows = _rows("Probe;Länge;Länge err;", "P{i};{v}E-03;{e}E-03;")
    return _text(
        folder / "laengen.csv", [row.replace(".", ",") for row in rows], "utf-8-sig", "\r\n"
    )


def unquoted_of_r(folder: Path, sign: str = "\t") -> Path:
    """write.table with quote=FALSE: one name less than there are columns."""
    rows = _rows("x x_se y", "gene{i} {v} {e} {w}")
    return _text(folder / "expression.txt", [row.replace(" ", sign) for row in rows])


def world_bank(folder: Path) -> Path:
    """A wide series: lines about the source, a column for each year, a comma at each end."""
    lines = [
        '"Data Source","World Development Indicators",',
        "",
        '"Last Updated","2024-03-28",',
        "",
    ]
    row = '"Land {i}","L{i}","GDP","{v}","{w}","{e}","{f}",'
    lines += _rows(
        '"Country Name","Country Code","Indicator Name","2019","2020","2021","2022",', row
    )
    return _text(folder / "series.csv", lines, "utf-8-sig", "\r\n")


def dates(folder: Path) -> Path:
    """Isotope ratios with errors of two standard deviations, the same name behind each value."""
    rows = _rows("Sample,206Pb/238U,2SE,Age (Ma),2SE", "z{i},{v},{e},{w},{f}")
    return _text(folder / "zircons.csv", rows)


def spectrometer(folder: Path) -> Path:
    """A hand-held instrument: Fe and Fe +/-."""
    return _text(folder / "xrf.csv", _rows("Sample,Fe,Fe +/-,Zn,Zn +/-", "s{i},{v},{e},{w},{f}"))
