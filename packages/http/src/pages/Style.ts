/** The stylesheet of all pages: from 360 px width, light or dark by the browser's preference. */
export const style = `:root{color-scheme:light dark;--text:#1b1b1f;--soft:#5c5c66;--line:#d5d5dd;--field:#fff;--page:#fbfbfd;--card:#fff;--accent:#2456c9;--onaccent:#fff;--danger:#b3261e}
@media (prefers-color-scheme:dark){:root{--text:#ececf1;--soft:#a9a9b6;--line:#3c3c46;--field:#1d1d22;--page:#141417;--card:#1b1b20;--accent:#9db8ff;--onaccent:#10131c;--danger:#ffb4ab}}
*{box-sizing:border-box}
body{background:var(--page);color:var(--text);font:1rem/1.55 system-ui,sans-serif;margin:0}
header{align-items:baseline;border-bottom:1px solid var(--line);display:flex;gap:1rem;justify-content:space-between;padding:.75rem 1.25rem}
.brand{font-weight:700;margin:0}
main{margin:0 auto;max-width:44rem;padding:1rem 1.25rem 4rem}
h1{font-size:1.6rem;line-height:1.25;overflow-wrap:anywhere}
h2{border-top:1px solid var(--line);font-size:1.2rem;margin-top:2.5rem;padding-top:1.25rem}
a{color:var(--accent)}
form{display:grid;gap:1rem;margin:1rem 0}
.field{display:grid;gap:.25rem;margin:0}
label,legend{font-weight:600}
input,select{background:var(--field);border:1px solid var(--soft);border-radius:.4rem;color:inherit;font:inherit;padding:.5rem .6rem;width:100%}
input[type=checkbox]{height:1.15rem;margin:.2rem .6rem 0 0;width:1.15rem;flex:none}
fieldset{border:1px solid var(--line);border-radius:.6rem;padding:.75rem 1rem}
.check{align-items:flex-start;display:flex;font-weight:400;padding:.25rem 0}
button{background:var(--accent);border:1px solid var(--accent);border-radius:.4rem;color:var(--onaccent);cursor:pointer;font:inherit;font-weight:600;justify-self:start;padding:.5rem 1.1rem}
button.quiet{background:none;color:var(--accent)}
button.danger{background:none;border-color:var(--danger);color:var(--danger)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.row{align-items:center;border-bottom:1px solid var(--line);display:flex;flex-wrap:wrap;gap:.5rem 1rem;justify-content:space-between;padding:.6rem 0}
.row form{margin:0}
.row>:first-child{flex:1 1 14rem;min-width:0;overflow-wrap:anywhere}
.rows{list-style:none;margin:0;padding:0}
.buttons{display:flex;flex-wrap:wrap;gap:.75rem}
h3{font-size:1rem;margin:1.5rem 0 .4rem;overflow-wrap:anywhere}
th:first-child{width:7.5rem}
table{border-collapse:collapse;table-layout:fixed;width:100%}
th,td{border:1px solid var(--line);overflow-wrap:anywhere;padding:.35rem .6rem;text-align:left;vertical-align:top;white-space:pre-wrap}
.soft{color:var(--soft);margin:.1rem 0}
.notice,.problem{border:1px solid var(--line);border-left:.3rem solid var(--accent);border-radius:.4rem;background:var(--card);padding:.75rem 1rem}
.problem{border-left-color:var(--danger)}
code,pre{font:.92em/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
pre{background:var(--card);border:1px solid var(--line);border-radius:.4rem;overflow:auto;padding:.6rem .8rem;white-space:pre-wrap}
.things,.things ul{list-style:none;margin:0;padding:0}
.things ul{border-left:1px solid var(--line);margin-left:.6rem;padding-left:1rem}
.thing{display:flex;gap:.6rem;padding:.2rem 0;overflow-wrap:anywhere}
.body{flex:1;min-width:0}
.text{display:inline}
.body pre{margin:.2rem 0}
.mark{flex:none;min-width:1.15rem;text-align:center}
.box{border:1.5px solid var(--soft);border-radius:.25rem;font-size:.9rem;height:1.15rem;line-height:1;margin-top:.2rem;width:1.15rem}
.heading{font-size:1.15rem}
.heading,.subheading{line-height:2}
.done{color:var(--soft);text-decoration:line-through}
.tag{background:var(--card);border:1px solid var(--line);border-radius:1rem;font-size:.85rem;margin-left:.35rem;padding:.05rem .55rem}
blockquote{border-left:.25rem solid var(--line);margin:0;padding-left:.75rem}
.spoken{clip-path:inset(50%);height:1px;overflow:hidden;position:absolute;white-space:nowrap;width:1px}
`
