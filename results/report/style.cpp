#include "results/report/sections.hpp"

namespace hyseq::results {

std::string style_sheet() {
  return R"css(
:root { color-scheme: light dark;
  --page: #fbfaf7; --card: #ffffff; --ink: #1d1f23; --muted: #62666d; --line: #dfdcd4; --link: #0b5394; --code: #f2f0ea;
  --good: #1b6e3c; --good-bg: #e2f2e7; --warn: #8a4b00; --warn-bg: #fcecd4; --open: #54575d; --open-bg: #e9e9ec;
  --bad: #a4262c; }
@media (prefers-color-scheme: dark) { :root {
  --page: #15171a; --card: #1e2125; --ink: #e8e6e1; --muted: #a2a6ad; --line: #353a41; --link: #8ec5ff; --code: #272b30;
  --good: #8fdcaa; --good-bg: #173524; --warn: #f5c27c; --warn-bg: #3c2b12; --open: #c3c6cc; --open-bg: #32363c;
  --bad: #ff9a94; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 17px/1.55 "Source Sans 3", "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1, h2, .card-title { font-family: Charter, "Iowan Old Style", Palatino, Georgia, "Times New Roman", serif;
  line-height: 1.15; text-wrap: balance; }
h1 { font-size: clamp(1.9rem, 5vw, 2.9rem); margin: 0.2rem 0 1rem; letter-spacing: -0.01em; }
h2 { font-size: clamp(1.45rem, 3.4vw, 1.9rem); margin: 0 0 0.6rem; }
h3 { font-size: 1.1rem; margin: 2rem 0 0.7rem; }
h4 { font-size: 1rem; margin: 0 0 0.25rem; }
section { margin-top: 3.5rem; }
a { color: var(--link); }
.wordmark { margin: 0; font-weight: 700; letter-spacing: 0.06em; color: var(--muted); }
.lead { font-size: 1.12rem; max-width: 46rem; margin: 0 0 1.2rem; }
.muted, .scope { color: var(--muted); }
.muted { font-weight: 400; }
.number { color: var(--muted); font: 600 0.92rem/1.3 "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  letter-spacing: 0.03em; }
h2 .number { display: block; margin-bottom: 0.25rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); gap: 1rem; }
.card { display: block; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.1rem 1.25rem;
  color: inherit; text-decoration: none; }
.card:hover { border-color: var(--link); }
.card-title { font-size: 1.35rem; font-weight: 700; margin: 0.15rem 0 0.5rem; }
.card p { margin: 0 0 0.8rem; font-size: 0.97rem; }
.counts { list-style: none; margin: 0; padding: 0; display: grid; gap: 0.35rem; font-size: 0.95rem; }
.badge { display: inline-block; padding: 0.08rem 0.6rem; border-radius: 1rem; font-size: 0.86rem; font-weight: 600;
  white-space: nowrap; }
.badge.certified { color: var(--good); background: var(--good-bg); }
.badge.refuted { color: var(--warn); background: var(--warn-bg); }
.badge.open { color: var(--open); background: var(--open-bg); }
table { border-collapse: collapse; width: 100%; font-size: 0.93rem; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--muted); border-bottom: 2px solid var(--line); padding: 0.4rem 0.6rem; }
td { border-bottom: 1px solid var(--line); padding: 0.45rem 0.6rem; vertical-align: top; }
th:first-child, td:first-child { padding-left: 0; }
.right { text-align: right; white-space: nowrap; }
.scroll { overflow-x: auto; }
.scroll table { width: auto; min-width: 50%; }
figure { margin: 1.8rem 0 2.2rem; }
.paper { background: #ffffff; border: 1px solid var(--line); border-radius: 10px; padding: 0.8rem; overflow-x: auto; }
.paper svg { display: block; margin: 0 auto; max-width: 100%; min-width: min(100%, 38rem); height: auto; }
.paper text { font-family: "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
figcaption { font-size: 0.93rem; color: var(--muted); margin-top: 0.6rem; max-width: 52rem; }
figcaption strong { color: var(--ink); }
details.data { font-size: 0.88rem; margin-top: 0.3rem; color: var(--muted); }
summary { cursor: pointer; }
details.data pre { max-height: 16rem; }
details.certificate { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin: 0 0 0.7rem;
  padding: 0.75rem 1.1rem; scroll-margin-top: 1rem; }
details.certificate:target { border-color: var(--link); }
details.certificate[open] { padding-bottom: 1.1rem; }
.what { margin-left: 0.4rem; }
.rerun { margin: 0 0 0.3rem; color: var(--muted); font-size: 0.93rem; }
pre { background: var(--code); border-radius: 8px; padding: 0.7rem 0.9rem; overflow-x: auto; margin: 0 0 1rem;
  font-size: 0.86rem; line-height: 1.45; }
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
pre code { user-select: all; overflow-wrap: normal; }
.check { border-left: 3px solid var(--good); padding: 0.1rem 0 0.1rem 0.9rem; margin: 1.2rem 0 0; }
.check.failed { border-color: var(--bad); }
.check.empty { border-color: var(--open); }
.check .mark { color: var(--good); }
.check.failed .mark { color: var(--bad); }
.check.empty .mark { color: var(--open); }
.check p { margin: 0 0 0.5rem; }
dl.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 13rem), 1fr)); gap: 0.45rem 1.2rem;
  margin: 0.4rem 0 0.6rem; }
dl.figures dt { font-size: 0.82rem; color: var(--muted); }
dl.figures dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
dl.glossary { display: grid; grid-template-columns: max-content 1fr; gap: 0.6rem 1.2rem; margin: 0; max-width: 56rem; }
dl.glossary dt { font-weight: 600; }
dl.glossary dd { margin: 0; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--muted); font-size: 0.9rem; }
@media (max-width: 700px) {
  body { font-size: 16px; }
  main { padding: 1.5rem 1rem 3rem; }
  .paper { padding: 0.4rem; }
  .paper svg { max-width: none; min-width: 0; width: max(100%, 40rem); }
  table.verdicts thead { display: none; }
  table.verdicts, table.verdicts tbody { display: block; }
  table.verdicts tr { display: flex; flex-wrap: wrap; gap: 0.1rem 0.7rem; align-items: baseline; padding: 0.7rem 0;
    border-bottom: 1px solid var(--line); }
  table.verdicts td { border: 0; padding: 0; text-align: left; white-space: normal; }
  table.verdicts td.verdict { order: -5; flex-basis: 100%; }
  table.verdicts td.theorem { order: -4; }
  table.verdicts td.level { order: -3; }
  table.verdicts td.numbers { order: -2; }
  table.verdicts td.right { order: -1; }
  table.verdicts td.theorem::before { content: attr(data-kind) " "; }
  table.verdicts td.parameters, table.verdicts td.scope { flex-basis: 100%; }
  dl.figures { grid-template-columns: repeat(auto-fill, minmax(min(100%, 9rem), 1fr)); }
  dl.glossary { grid-template-columns: 1fr; gap: 0.15rem; }
  dl.glossary dd { margin-bottom: 0.7rem; }
}
@media print { details > *:not(summary) { display: block; } .card, details.certificate { break-inside: avoid; } }
)css";
}

}  // namespace hyseq::results
