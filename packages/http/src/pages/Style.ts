import { partsStyle } from "./StyleParts.ts"

/**
 * Colors and the frame of a page, without rules for foreign content: `/docs` uses only this beside the reference's own
 * style.
 */
export const frameStyle = `:root{color-scheme:light dark;--text:#23211e;--soft:#655f57;--line:#e4dfd6;--edge:#8a8379;--field:#fff;--page:#faf8f5;--card:#fff;--accent:#0f6b62;--tint:#e6f0ee;--onaccent:#fff;--danger:#a8321f;--star:#b7791f;--shadow:0 1px 2px #0000000a,0 4px 16px #0000000a}
@media (prefers-color-scheme:dark){:root{--text:#ebe8e3;--soft:#a8a39b;--line:#32332f;--edge:#7d7a73;--field:#1e201f;--page:#161817;--card:#1c1e1d;--accent:#7fd0c4;--tint:#1e302d;--onaccent:#0d1f1c;--danger:#ff9d8a;--star:#e8b860;--shadow:none}}
body,body>header *{box-sizing:border-box}
body{background:var(--page);color:var(--text);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",sans-serif;margin:0;-webkit-text-size-adjust:100%}
.icon{fill:none;flex:none;height:1.35rem;stroke:currentcolor;stroke-linecap:round;stroke-linejoin:round;stroke-width:1.7;vertical-align:-.3rem;width:1.35rem}
.spoken{clip-path:inset(50%);height:1px;overflow:hidden;position:absolute;white-space:nowrap;width:1px}
.skip{background:var(--card);left:1rem;padding:.5rem 1rem;position:absolute;top:-5rem;z-index:3}
.skip:focus{top:.5rem}
:focus-visible,:is([type=date],[type=time]):focus-within{outline:3px solid var(--accent);outline-offset:2px}
body>header{background:var(--page);border-bottom:1px solid var(--line);padding-top:env(safe-area-inset-top);position:sticky;top:0;z-index:2}
.bar{align-items:center;display:flex;gap:.5rem 1.25rem;margin:0 auto;max-width:68rem;padding:.6rem 1.25rem}
.brand{align-items:center;color:var(--text);display:flex;flex:none;font-weight:700;gap:.6rem;letter-spacing:-.01em;text-decoration:none}
p.brand{flex:0 1 auto}
.sections{display:flex;flex:1;gap:.25rem;justify-content:center}
.sections a{align-items:center;border-radius:.6rem;color:var(--soft);display:flex;gap:.45rem;padding:.35rem .7rem;text-decoration:none}
.sections a:hover{background:var(--tint);color:var(--text)}
.sections a[aria-current]{background:var(--tint);color:var(--accent);font-weight:600}
.find{display:flex;flex:0 1 13rem;margin:0;position:relative}
.find input{background:var(--field);border:1px solid var(--line);color:inherit;font:inherit;min-width:0;width:100%;border-radius:2rem;padding:.35rem 2.4rem .35rem .95rem}
.find button{background:none;border:0;cursor:pointer;color:var(--soft);padding:.35rem .6rem;position:absolute;right:.1rem;top:0}
.reference{--scalar-custom-header-height:3.7rem;--scalar-font:system-ui,-apple-system,"Segoe UI",sans-serif;--scalar-font-code:ui-monospace,SFMono-Regular,Menlo,monospace}
.reference>header{z-index:30}
.reference .sections{z-index:30}
@media (max-width:60rem){a.brand span{clip-path:inset(50%);height:1px;overflow:hidden;position:absolute;width:1px}.find{flex:1 1 auto}}
@media (min-width:44.01rem) and (max-width:52rem){.sections svg{display:none}}
@media (max-width:44rem){.bar{padding:.5rem 1rem}
.sections{background:var(--card);border-top:1px solid var(--line);bottom:0;flex-wrap:wrap;gap:0;justify-content:space-around;left:0;padding:.2rem .25rem calc(.2rem + env(safe-area-inset-bottom));position:fixed;right:0}
.sections a{flex:1 1 0;flex-direction:column;font-size:.72rem;gap:.1rem;min-width:min-content;padding:.35rem 0}
.sections a[aria-current]{background:none}}
@media (max-height:26rem){body>header,.sections{position:static}}
@media (max-height:26rem) and (max-width:44rem){.bar{flex-wrap:wrap}.sections{background:none;border:0;flex:1 1 100%;order:1;padding:0}}
`

/** Type and forms. */
const base = `*{box-sizing:border-box}
html{scroll-padding-top:5rem;scroll-padding-bottom:5rem}
html:has(.toast){scroll-padding-bottom:12rem}
main:has(.toast){padding-bottom:12rem}
h1{font-size:1.75rem;font-weight:700;letter-spacing:-.015em;line-height:1.2;margin:.25rem 0 .75rem;overflow-wrap:anywhere;text-wrap:balance}
h2{font-size:1.1rem;letter-spacing:-.005em;line-height:1.3;margin:2.5rem 0 .5rem;overflow-wrap:anywhere}
h3{font-size:1rem;margin:1.5rem 0 .4rem;overflow-wrap:anywhere}
h1,p,pre,td,input,textarea{unicode-bidi:plaintext}
p{margin:.6rem 0}
a{color:var(--accent);text-underline-offset:.15em}
main{margin:0 auto;max-width:46rem;overflow-wrap:break-word;padding:1.5rem 1.25rem 5rem}
main:focus{outline:none}
.dot{flex:none;height:.6rem;width:.6rem}
.soft{color:var(--soft);margin:.1rem 0}
form{display:grid;gap:1rem;margin:1rem 0}
[data-sent]{opacity:.6;transition:opacity .2s .3s}
.fields{display:grid;gap:1rem;margin:.5rem 0 0}
.field{align-content:start;display:grid;gap:.3rem;margin:0;min-width:0}
.pair{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,11rem),1fr))}
label,legend{font-weight:600}
.hint{color:var(--soft);font-size:.9rem;font-weight:400;margin:0}
input,select,textarea{background:var(--field);border:1px solid var(--edge);border-radius:.55rem;color:inherit;font:inherit;min-width:0;padding:.5rem .7rem;width:100%}
::placeholder{color:var(--soft);opacity:1}
[aria-invalid]{border-color:var(--danger)}
.wrong{color:var(--danger);font-size:.9rem;overflow-wrap:anywhere}
[readonly]{background:none;border-style:dashed}
textarea{display:block;field-sizing:content;max-height:60vh;min-height:2.6rem;resize:vertical}
input[type=checkbox],input[type=radio]{accent-color:var(--accent);flex:none;height:1.15rem;margin:.2rem .6rem 0 0;width:1.15rem}
input[type=color]{height:2.6rem;padding:.2rem}
fieldset{border:1px solid var(--line);border-radius:.75rem;margin:0;min-width:0;padding:.75rem 1rem}
.check{align-items:flex-start;display:flex;font-weight:400;padding:.25rem 0}
.check small{color:var(--soft);display:block;font-size:.9rem}
.swatches{display:flex;flex-wrap:wrap;gap:.25rem .9rem}
button,.button{background:var(--accent);border:1px solid var(--accent);border-radius:.55rem;color:var(--onaccent);cursor:pointer;display:inline-block;font:inherit;font-weight:600;justify-self:start;padding:.5rem 1.1rem;text-decoration:none}
button:hover,.button:hover{filter:brightness(1.08)}
button.quiet,.button.quiet{background:none;border-color:var(--line);color:var(--accent)}
button.quiet:hover,.button.quiet:hover{background:var(--tint)}
button.danger{background:none;border-color:var(--danger);color:var(--danger)}
button.link{background:none;border:0;color:var(--accent);padding:0;text-decoration:underline;text-underline-offset:.15em}
.buttons{align-items:center;display:flex;flex-wrap:wrap;gap:.6rem;margin:0}
.buttons form{margin:0}
.buttons button{overflow-wrap:anywhere}
.row{align-items:center;border-bottom:1px solid var(--line);display:flex;flex-wrap:wrap;gap:.5rem 1rem;justify-content:space-between;padding:.7rem 0}
.row form{margin:0}
.row>:first-child{flex:1 1 14rem;min-width:0;overflow-wrap:anywhere}
.row p{margin:.1rem 0}
.rows{list-style:none;margin:0;padding:0}
.card{background:var(--card);border:1px solid var(--line);border-radius:1rem;box-shadow:var(--shadow);margin:1rem 0;padding:1rem 1.25rem}
.card>:first-child{margin-top:0}
.card>:last-child{margin-bottom:0}
.notice,.problem{background:var(--tint);border-radius:.75rem;margin:0 0 1rem;overflow-wrap:anywhere;padding:.65rem 1rem}
div.notice{align-items:center;display:flex;flex-wrap:wrap;gap:.25rem 1rem;justify-content:space-between}
.soft+.notice{margin-top:1rem}
.notice p,.notice form{margin:0}
.notice pre{flex:1 1 100%}
.problem{background:var(--card);border:1px solid var(--danger);color:var(--danger)}
details>summary{cursor:pointer;font-weight:600;padding:.35rem 0}
details.more-options{border-top:1px solid var(--line);margin-top:1rem;padding-top:.5rem}
th:first-child{width:7.5rem}
table{border-collapse:collapse;table-layout:fixed;width:100%}
th,td{border:1px solid var(--line);overflow-wrap:anywhere;padding:.35rem .6rem;text-align:left;vertical-align:top;white-space:pre-wrap}
code,pre{font:.92em/1.5 ui-monospace,SFMono-Regular,Menlo,monospace;overflow-wrap:anywhere}
pre{background:var(--card);border:1px solid var(--line);border-radius:.55rem;overflow:auto;padding:.6rem .8rem;white-space:pre-wrap}
blockquote{border-left:.25rem solid var(--line);margin:0;padding-left:.75rem}
.empty{padding:2.5rem 0;text-align:center}
.empty .field{margin:1rem 0;text-align:start}
.empty .status{color:var(--accent);font-size:3.5rem;font-weight:700;letter-spacing:-.04em;line-height:1;margin:0 0 1rem}
@media (max-width:44rem){main{padding:1rem 1rem 7rem}}
`

/**
 * For touch screens: targets are at least 44 px high and wide, including the space around them, except links within a
 * text.
 */
const touchStyle = `@media (pointer:coarse){.thing{padding:.65rem 0}
button,.button,input,select,textarea{padding-block:.6rem}
select,textarea,input:not([type=checkbox],[type=radio]){min-height:2.75rem}
button.box::after{inset:-.8rem}
.edit::after{content:"";inset:-.6rem -.25rem;position:absolute}
.days :is(a,input,button),.subnav a,.cloud a,.nest,.find input,.find button{min-height:2.75rem}
.days a,.days button,.nest{min-width:2.75rem}
.subnav a{align-items:center;display:inline-flex}
.check,details>summary,.ask>summary{padding-block:.65rem}
.body details>summary{margin-bottom:-.65rem;padding:.6rem 0 .65rem}
.eyebrow a,.left-over>a:not(.button),.progress a,.toast a,button.link{margin:-.7rem -.25rem;padding:.7rem .25rem}
.eyebrow a{display:inline-block;position:relative}
.toast a{margin-right:-1.1rem;padding:.7rem 1.1rem}}
`

/**
 * With forced colors, whatever a background alone conveys is shown otherwise, and unticked boxes have no tick. In
 * print, lists and things are shown without their controls and empty fields. On a screen as low as 400 % zoom makes it,
 * the bars scroll with the page. What gets the focus is scrolled to where no notice covers it.
 */
const otherMedia = `@media (forced-colors:active){.box:not(.ticked,.dropped)::before{display:none}.box.ticked{background:Highlight;border-color:Highlight;color:HighlightText;forced-color-adjust:none}progress{border:1px solid}progress::-webkit-progress-value{background:Highlight;forced-color-adjust:none}progress::-moz-progress-bar{background:Highlight;forced-color-adjust:none}.toast,.notice{border:1px solid}.text:is(:target,.here){outline:2px solid}.toast.gone~* .text:is(:target,.here){outline:none}}
@media print{.skip,body>header,.toast,.notice:not(:has(pre)),.days,.left-over,form.add,.import,.more-options,.subnav,.edit,main button:not(.box),.progress a,.card .hint,.card>details,details.card,h2:has(+details.card),#move,#move+.card,.field:has(>:is(textarea:empty,input[value=""],#text:not([readonly]))){display:none!important}.card :is(input,textarea){border:0;max-height:none;padding:0;resize:none}.box{print-color-adjust:exact}main{max-width:none;padding:0}.thing{break-inside:avoid}.text:is(:target,.here){background:none;box-shadow:none}}
@media (max-height:26rem){html{scroll-padding:1rem 0}html:has(.toast){scroll-padding-bottom:7.5rem}.toast{bottom:.5rem}}
`

/** The stylesheet of all pages: from 320 px width, light or dark by the browser's preference. */
export const style = base + frameStyle + partsStyle + touchStyle + otherMedia
