// SPDX-License-Identifier: Apache-2.0
#include "cordon/report/html_parts_internal.h"

namespace cordon::engine::internal {

std::string_view PageStyle() {
  return R"(*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%}
:root{--page:#f4f6f9;--tint:#eef2f7;--warn:#fff6e0;--warn-line:#e0b34c}
@media (prefers-color-scheme:dark){:root{--page:#0d1218;--tint:#1d2631;--warn:#2e2610;--warn-line:#8a6d1f}}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1240px;margin:0 auto;padding:20px 18px 48px}
header p{margin:.1rem 0;color:var(--soft)}
h1{font-size:1.5rem;line-height:1.25;margin:.2rem 0;overflow-wrap:anywhere}
h2{font-size:1.2rem;line-height:1.3;margin:2rem 0 .2rem}
.lead{margin:.1rem 0 .9rem;color:var(--soft);max-width:46rem}
.verdicts{list-style:none;margin:1rem 0 0;padding:0;display:grid;gap:10px;grid-template-columns:repeat(auto-fit,minmax(min(100%,330px),1fr))}
.verdicts li{background:var(--paper);border:1px solid var(--line);border-left:6px solid var(--good);border-radius:8px;padding:12px 16px;overflow-wrap:anywhere}
.verdicts li.no{border-left-color:var(--bad)}
.verdicts b{display:block}
.verdicts .says{font-weight:700;color:var(--good)}.verdicts .no .says{color:var(--bad)}
.verdicts small{display:block;color:var(--soft);font-size:.88rem}
.private{background:var(--warn);border:1px solid var(--warn-line);border-radius:8px;padding:10px 16px;margin:16px 0 0}
.tiles{display:grid;gap:10px;grid-template-columns:repeat(auto-fit,minmax(220px,1fr));margin:0}
.tiles div{background:var(--paper);border:1px solid var(--line);border-radius:8px;padding:10px 14px}
.tiles dt{color:var(--soft);font-size:.85rem}.tiles dd{margin:0;font-size:1.25rem;font-weight:600;overflow-wrap:anywhere}
.tiles dd small{display:block;font-weight:400;font-size:.8rem;color:var(--soft)}
.cards{columns:340px;column-gap:14px}
figure{margin:0 0 14px;background:var(--paper);border:1px solid var(--line);border-radius:8px;padding:14px 16px 12px;break-inside:avoid;min-width:0}
figcaption{font-weight:600;margin-bottom:8px;overflow-wrap:anywhere}
figure p{margin:.5rem 0 0;color:var(--soft);font-size:.85rem}
.chart{display:block;width:100%;height:auto}
.key{display:flex;gap:16px;margin:0 0 10px;padding:0;list-style:none;font-size:.88rem}
.key span{display:inline-block;width:12px;height:12px;border-radius:2px;margin-right:6px;vertical-align:-1px;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.wide{overflow-x:auto;background:var(--paper);border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;padding:6px 12px;border-top:1px solid var(--line);vertical-align:top}
thead th{border-top:0;color:var(--soft);font-weight:600;background:var(--tint)}
tbody th{font-weight:400}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.figures{table-layout:fixed}.figures th:first-child{width:56%}.figures th{overflow-wrap:anywhere}.figures td{font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.warnings{margin:0;padding:0 0 0 1.1rem}
footer{margin-top:2rem;color:var(--soft);font-size:.85rem}
@media (max-width:520px){.tiles{grid-template-columns:1fr 1fr}main{padding:12px 12px 32px}h1{font-size:1.25rem}th,td{padding:5px 8px}table{font-size:.86rem}}
@media print{:root{--page:#fff;--tint:#f2f2f2;--warn:#fff;--warn-line:#999}body{font-size:11pt}main{max-width:none;padding:0}h2,.lead,.key{break-after:avoid}.cards{columns:2}.wide{overflow:visible}}
)";
}

}  // namespace cordon::engine::internal
