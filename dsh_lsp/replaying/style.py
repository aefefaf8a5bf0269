"""The looks of a page: constant, light and dark, for screens from 360 pixels on and for paper.

Every pair of a text colour and a background it stands on has a contrast of at least 4.5 : 1, which a test computes from
the variables here.
"""

from typing import Final

LIGHT: Final = {
    "page": "#f5f6f8",
    "card": "#ffffff",
    "well": "#f8f9fb",
    "line": "#d9dee5",
    "text": "#1c2128",
    "quiet": "#57606a",
    "link": "#0a58b8",
    "plus": "#116329",
    "minus": "#b3141f",
    "warn": "#7a4b00",
    "add": "#e4f6e9",
    "add-strong": "#b4e6c1",
    "del": "#fdebea",
    "del-strong": "#f9c8c4",
    "at": "#eaf1fa",
    "tint-plus": "#dcf3e2",
    "tint-minus": "#fbe1df",
    "tint-warn": "#fbeecb",
    "tint-link": "#e0ecfa",
    "hidden": "#ffe7a3",
}

DARK: Final = {
    "page": "#0e1116",
    "card": "#151a21",
    "well": "#11161c",
    "line": "#2b323c",
    "text": "#dfe5ec",
    "quiet": "#98a3b0",
    "link": "#7ab3f5",
    "plus": "#6fd08a",
    "minus": "#ff958c",
    "warn": "#e3b55a",
    "add": "#122b1c",
    "add-strong": "#1f5a33",
    "del": "#331a1c",
    "del-strong": "#702a2c",
    "at": "#17222f",
    "tint-plus": "#15301f",
    "tint-minus": "#3a1d1f",
    "tint-warn": "#33290f",
    "tint-link": "#172a40",
    "hidden": "#574400",
}

_RULES: Final = """
*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0 auto;padding:1.5rem clamp(.75rem,3vw,2rem) 3rem;max-width:76rem;background:var(--page);color:var(--text);
font:.9375rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
code,pre,.code,.hits,.tool,.number,.counts{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",
monospace;font-size:.8125rem}
h1{margin:0;font-size:1.375rem;line-height:1.3;overflow-wrap:anywhere}
h1 small{font-weight:400;font-size:1rem;color:var(--quiet)}
h2{margin:2rem 0 .75rem;font-size:1.0625rem}
a{color:var(--link);text-underline-offset:.15em}
a:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.quiet{margin:.375rem 0;color:var(--quiet);font-size:.8125rem}
.facts{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin:.5rem 0 0}
.facts div{display:flex;gap:.4rem;min-width:0}
.facts dt{color:var(--quiet)}
.facts dd{margin:0;overflow-wrap:anywhere}
.lost{margin:.75rem 0 0;padding:.5rem .75rem;border-radius:6px;background:var(--tint-warn);color:var(--warn)}
.numbers{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:0 0 .5rem;padding:0;list-style:none;font-weight:600}
.numbers li{white-space:nowrap}
.summary table{width:100%;margin:.75rem 0 0;border-collapse:separate;border-spacing:0;background:var(--card);
border:1px solid var(--line);border-radius:8px}
thead th:first-child{border-top-left-radius:7px}
thead th:last-child{border-top-right-radius:7px}
caption{padding:.5rem 0;text-align:left;font-weight:600}
th,td{padding:.35rem .75rem;font-size:.875rem;text-align:left;font-weight:400;vertical-align:baseline;
overflow-wrap:anywhere;min-width:3.5rem}
thead th{color:var(--quiet);font-size:.75rem;background:var(--well)}
tbody th,tbody td{border-top:1px solid var(--line)}
tbody th{min-width:8.5rem}
.counts{white-space:nowrap;font-weight:600}
.plus{color:var(--plus)}
.minus{color:var(--minus)}
.badge{display:inline-block;padding:0 .5em;border-radius:1em;font-size:.75rem;line-height:1.6;font-weight:600;
color:var(--quiet);background:var(--well);box-shadow:inset 0 0 0 1px var(--line)}
.badge.created{color:var(--plus);background:var(--tint-plus);box-shadow:none}
.badge.modified{color:var(--link);background:var(--tint-link);box-shadow:none}
.badge.failed{color:var(--minus);background:var(--tint-minus);box-shadow:none}
.badge.denied,.badge.never{color:var(--warn);background:var(--tint-warn);box-shadow:none}
.card{margin:0 0 .75rem;background:var(--card);border:1px solid var(--line);border-radius:8px;overflow:hidden;
content-visibility:auto;contain-intrinsic-size:auto 12rem}
.card.failed{border-left:3px solid var(--minus)}
.card.denied,.card.never{border-left:3px solid var(--warn)}
.card:target{outline:2px solid var(--link);outline-offset:1px}
.card>header{display:flex;flex-wrap:wrap;align-items:baseline;gap:.15rem .6rem;padding:.45rem .75rem}
h3{margin:0;min-width:0;font-size:.9375rem;font-weight:400;overflow-wrap:anywhere}
.number{color:var(--quiet)}
.tool{font-weight:600}
.subject{margin-left:.25rem}
.about,.when{color:var(--quiet);font-size:.8125rem;overflow-wrap:anywhere}
.when{margin-left:auto;white-space:nowrap}
.code-name{color:var(--minus)}
.denied .code-name{color:var(--warn)}
.notes{margin:0;padding:0 .75rem .45rem 1.75rem;color:var(--quiet);font-size:.8125rem}
.card>.quiet,.card>.cwd,.call>.quiet{display:block;margin:0;padding:0 .75rem .45rem}
.cwd{color:var(--quiet);font-size:.8125rem}
.code,.hits,.command,.error{margin:0;background:var(--well);border-top:1px solid var(--line);tab-size:4}
.error,.command{padding:.5rem .75rem;white-space:pre-wrap;overflow-wrap:anywhere}
.command b{color:var(--quiet);font-weight:400;user-select:none}
.command+.code{border-top:0}
.command{padding-bottom:.25rem}
.l{display:grid;grid-template-columns:minmax(0,1fr);min-height:1.5em;line-height:1.5}
.l>code,.l>ins,.l>del{font:inherit;padding-right:.75rem;white-space:pre-wrap;overflow-wrap:anywhere;
text-decoration:none;direction:ltr;unicode-bidi:isolate}
.l>i,.l>b{font:inherit;color:var(--quiet);text-align:right;user-select:none}
.l>b{text-align:center}
.plain .l>code{padding-left:.75rem}
.plain{padding:.25rem 0}
.window .l{grid-template-columns:calc(var(--n) + 1.5rem) minmax(0,1fr)}
.window .l>i{padding-right:.75rem}
.window em{margin-left:1ch;color:var(--quiet)}
.diff .l{grid-template-columns:calc(var(--n) + 1rem) calc(var(--n) + 1rem) 2.5ch minmax(0,1fr)}
.diff.bare .l{grid-template-columns:3ch minmax(0,1fr)}
.diff .l>i{padding-right:.35rem}
.add{background:var(--add)}
.del{background:var(--del)}
.add>b{color:var(--plus);font-weight:700}
.del>b{color:var(--minus);font-weight:700}
mark{color:inherit;border-radius:2px}
.add mark{background:var(--add-strong)}
.del mark{background:var(--del-strong)}
.at,.end{padding:.1rem .75rem;color:var(--quiet);font-size:.75rem;background:var(--at)}
.end{background:none;font-style:italic}
.hits{display:grid;grid-template-columns:fit-content(45%) minmax(0,1fr);gap:.1rem 1.5ch;padding:.35rem .75rem;
list-style:none}
.hits li{display:grid;grid-template-columns:subgrid;grid-column:1/-1}
.hits code{overflow-wrap:anywhere}
.hits .hit{white-space:pre-wrap}
.hits .place{color:var(--link)}
.hidden{padding:0 .1em;border-radius:2px;background:var(--hidden);outline:1px dashed var(--quiet);outline-offset:-1px}
details.fold,details.call{border-top:1px solid var(--line)}
summary{padding:.3rem .75rem;cursor:pointer;color:var(--link);font-size:.8125rem}
.scroll{max-height:80vh;overflow:auto}
footer{margin-top:2rem;color:var(--quiet);font-size:.8125rem}
@media (max-width:36rem){
body{padding-top:1rem;font-size:.875rem}
code,pre,.code,.hits,.tool,.number,.counts{font-size:.75rem}
th,td{padding:.3rem .4rem;font-size:.8125rem;min-width:3rem}
tbody th{min-width:9.5rem}
tbody .badge{font-size:.6875rem;border-radius:.6em}
.when{margin-left:0}
.diff .l{grid-template-columns:calc(var(--n) + .5rem) calc(var(--n) + .5rem) 2ch minmax(0,1fr)}
.window .l{grid-template-columns:calc(var(--n) + 1rem) minmax(0,1fr)}
.window .l>i{padding-right:.5rem}
.diff .l>i{padding-right:.2rem}
.hits{display:block}
.hits li{display:block;padding:.1rem 0}
.hits .hit{display:block}
}
@media print{
body{max-width:none;padding:0;font-size:9pt}
.card{content-visibility:visible;overflow:visible}
.card>header{break-after:avoid}
.l,tr{break-inside:avoid}
.scroll{max-height:none;overflow:visible}
details::details-content{content-visibility:visible;display:block;height:auto}
.add,.del,.at,.badge,.hidden,mark{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
"""


def _variables(colours: dict[str, str]) -> str:
    return ":root{" + ";".join(f"--{name}:{value}" for name, value in colours.items()) + "}"


STYLE: Final = (
    f"\n{_variables(LIGHT)}\n@media (prefers-color-scheme:dark){{{_variables(DARK)}}}"
    # Paper is light.
    f"\n@media print{{{_variables(LIGHT)}}}{_RULES}"
)
