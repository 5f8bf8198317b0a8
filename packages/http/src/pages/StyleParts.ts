/** A selector for lists nested at least `levels` deep: they are indented less, so that their texts have room. */
const uls = (levels: number): string => Array.from({ length: levels }, () => "ul").join(" ")

/** Lists, days, things and their parts. */
export const partsStyle = `.eyebrow{color:var(--soft);font-size:.9rem;font-weight:600;letter-spacing:.02em;margin:0;overflow-wrap:anywhere}
.title{align-items:flex-start;display:flex;gap:.75rem;justify-content:space-between}
.title h1{min-width:0}
.title form{margin:.2rem 0 0}
.days{align-items:center;display:flex;flex-wrap:wrap;gap:.4rem;margin:0 0 1rem}
.days a{align-items:center;border:1px solid var(--line);border-radius:2rem;color:var(--text);display:inline-flex;gap:.15rem;padding:.2rem .8rem;text-decoration:none}
.days a:hover{background:var(--tint)}
.days form{display:flex;flex-wrap:wrap;gap:.4rem;margin:0 0 0 auto}
.days input{border-color:var(--line);border-radius:2rem;padding:.2rem .8rem;width:auto}
.days button{border-radius:2rem;padding:.2rem .8rem}
.left-over{align-items:center;display:flex;flex-wrap:wrap;gap:.4rem .75rem;margin:0 0 1rem}
.progress{align-items:center;color:var(--soft);display:flex;font-size:.9rem;gap:.75rem;margin:0 0 1rem}
progress{accent-color:var(--accent);appearance:none;background:var(--line);border:0;border-radius:1rem;flex:1;height:.4rem;overflow:hidden}
progress::-webkit-progress-bar{background:var(--line)}
progress::-webkit-progress-value{background:var(--accent);border-radius:1rem}
progress::-moz-progress-bar{background:var(--accent)}
.add{align-items:end;display:flex;flex-wrap:wrap;gap:.25rem .6rem;margin:0 0 1.25rem}
.add textarea{border-color:var(--line);border-radius:.9rem;flex:1 1 9rem;min-width:0;box-shadow:var(--shadow);padding:.65rem 1rem}
.add button{border-radius:.9rem;padding:.65rem 1.2rem}
.add .hint{flex:1 0 100%;font-size:.85rem;padding-left:.25rem}
.list{display:block;margin:0}
.things{contain:layout}
.things,.things ul{list-style:none;margin:0;padding:0}
.things ul{border-left:1px solid var(--line);margin-left:.7rem;padding-left:1.1rem}
@media (min-width:44.01rem){.things ${uls(11)}{margin-left:0;padding-left:.25rem}}
@media (max-width:44rem){.things ${uls(4)}{margin-left:0;padding-left:.6rem}.things ${uls(9)}{padding-left:0}}
.thing{display:flex;gap:.7rem;overflow-wrap:anywhere;padding:.4rem 0}
.list>.things>li{border-bottom:1px solid var(--line)}
.list>.things>li:last-child{border-bottom:0}
.body{flex:1;min-width:0}
.text{display:inline;unicode-bidi:plaintext;white-space:pre-line}
.text:is(:target,.here){background:var(--tint);border-radius:.3rem;box-shadow:0 0 0 .25rem var(--tint)}
.toast.gone~* .text:is(:target,.here){background:none;box-shadow:none}
.body pre{margin:.2rem 0}
.body details>pre{font:inherit}
.mark{color:var(--soft);flex:none;font-variant-numeric:tabular-nums;min-width:1.35rem;text-align:center}
.box{align-items:center;background:var(--field);border:1.5px solid var(--edge);border-radius:.45rem;color:transparent;display:inline-flex;flex:none;font-size:.85rem;font-weight:700;height:1.35rem;justify-content:center;line-height:1;margin-top:.1rem;padding:0;width:1.35rem}
button.box{position:relative}
button.box::after{content:"";inset:-.5rem;position:absolute}
button.box:hover{background:var(--tint);border-color:var(--accent);color:var(--accent);filter:none}
.box::before{border:solid currentcolor;border-width:0 2.2px 2.2px 0;content:"";height:.7rem;margin-top:-.15rem;rotate:45deg;width:.38rem}
.box.dropped::before{border-width:0 0 2.2px;height:0;margin:0;rotate:0deg;width:.6rem}
.box.ticked{background:var(--accent);border-color:var(--accent);color:var(--onaccent)}
button.box.ticked:hover{color:var(--onaccent);filter:brightness(1.1)}
.box.dropped{border-color:var(--line);color:var(--soft)}
.edit{align-self:flex-start;border-radius:.5rem;color:var(--soft);flex:none;line-height:1.35rem;min-width:2.25rem;padding:.1rem .5rem;position:relative;text-align:center;text-decoration:none}
.edit::before{content:"\\B7\\B7\\B7";font-weight:700;letter-spacing:.1em}
.edit:hover{background:var(--tint);color:var(--accent)}
.thing:has(.heading,.subheading)>a.edit{margin-top:.3rem}
.nest{align-self:flex-start;background:none;border-color:var(--line);color:var(--accent);flex:none;line-height:1;margin-left:-.35rem;padding:.25rem .4rem}
.nest:disabled{color:var(--line);cursor:default}
.heading{font-size:1.15rem;letter-spacing:-.01em}
.heading,.subheading{line-height:2}
.done{color:var(--soft);text-decoration:line-through}
.star{color:var(--star)}
.star .icon,[aria-pressed=true] .icon{fill:currentcolor}
.star .icon{height:1rem;vertical-align:-.1rem;width:1rem}
.when{align-items:flex-start;color:var(--soft);display:flex;font-size:.9rem;gap:.4rem;margin:.1rem 0;overflow-wrap:anywhere}
.when .icon{height:1.05rem;margin-top:.15rem;width:1.05rem}
.when .dot{margin-top:.4rem}
.late{color:var(--danger)}
.tag{background:var(--tint);border-radius:1rem;color:var(--text);font-size:.85rem;margin-left:.15rem;padding:.05rem .6rem;text-decoration:none}
.body details{font-size:.95rem}
.body details>summary{color:var(--soft);font-weight:400;overflow:hidden;padding:0;text-overflow:ellipsis;white-space:nowrap}
.begins{margin-left:.5rem}
[open]>summary>.begins{display:none}
.lists{display:grid;gap:.6rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));list-style:none;margin:0;padding:0}
.lists li{align-items:center;background:var(--card);border:1px solid var(--line);border-radius:.9rem;box-shadow:var(--shadow);display:flex;gap:.75rem;min-width:0;padding:.8rem 1rem;position:relative}
.lists li:hover{border-color:var(--accent)}
.lists .emoji{flex:none;font-size:1.3rem;line-height:1;max-width:4rem;min-width:1.6rem;overflow-wrap:anywhere;text-align:center}
.lists .name{flex:1;min-width:0;overflow-wrap:anywhere;unicode-bidi:plaintext}
.lists a{color:var(--text);font-weight:600;text-decoration:none}
.lists a::after{content:"";inset:0;position:absolute}
.lists button{background:none;border:0;color:var(--edge);font-size:1.2rem;line-height:1;padding:.25rem;position:relative;z-index:1}
.lists button[aria-pressed=true],.title button[aria-pressed=true]{color:var(--star)}
.lists button:hover{color:var(--star)}
.lists button::after,.title button::after{content:"";inset:-.5rem;position:absolute}
.title .quiet[aria-pressed]{border:0;font-size:1.4rem;line-height:1;padding:.2rem .4rem;position:relative}
.title .quiet[aria-pressed=false]{color:var(--edge)}
.cloud{display:flex;flex-wrap:wrap;gap:.6rem;list-style:none;margin:0;padding:0}
.cloud a{align-items:center;background:var(--card);border:1px solid var(--line);border-radius:2rem;color:var(--text);display:inline-flex;gap:.5rem;overflow-wrap:anywhere;padding:.35rem .9rem;text-decoration:none}
.cloud a:hover{border-color:var(--accent)}
.count{color:var(--soft);font-size:.9rem;font-variant-numeric:tabular-nums}
.dates{list-style:none;margin:.4rem 0;padding:0}
.subnav{display:flex;flex-wrap:wrap;gap:.35rem;margin:1rem 0 1.5rem}
.subnav a{border:1px solid var(--line);border-radius:2rem;color:var(--text);padding:.2rem .8rem;text-decoration:none}
.subnav a:hover{background:var(--tint)}
.subnav a[aria-current]{background:var(--tint);border-color:var(--accent);font-weight:600}
.weekdays{display:flex;flex-wrap:wrap;gap:.25rem .9rem}
.ask>summary{border:1px solid var(--danger);border-radius:.55rem;color:var(--danger);list-style:none;padding:.4rem 1rem;width:fit-content}
.ask>summary::-webkit-details-marker{display:none}
.ask[open]>summary{border-style:dashed}
.ask form{margin:.5rem 0 0}
.card>.ask{margin-top:.75rem}
.ask p{max-width:18rem}
.sign-in{margin:8vh auto 0;max-width:24rem}
[hidden]{display:none!important}
@media (hover:none){[data-scripted]{display:none}}
.docs{max-width:64rem}
.docs nav ul{columns:18rem;padding-left:1.1rem}
.docs nav li,.docs h3,.docs dd{overflow-wrap:anywhere}
.docs h2{border-bottom:1px solid var(--line);margin-top:3rem;padding-bottom:.25rem}
.docs section{margin:2rem 0}
.docs table{table-layout:auto}
.docs th,.docs td{border-width:0 0 1px;padding:.3rem .6rem .3rem 0;white-space:normal}
.docs th:first-child{width:auto}
.docs td{min-width:6rem}
.method{display:inline-block;font-weight:700;min-width:4.5em}
.scope{background:var(--tint);border-radius:.3rem;padding:.1rem .4rem}
.toast{align-items:center;background:var(--text);border-radius:.9rem;bottom:1.25rem;box-shadow:0 6px 24px #0003;color:var(--page);display:flex;gap:.25rem 1rem;left:50%;margin:0;max-width:min(36rem,calc(100vw - 2rem));padding:.65rem 1.1rem;position:fixed;translate:-50%;width:max-content;z-index:2}
.toast p,.toast form{margin:0;min-width:0;overflow-wrap:anywhere}
.toast p{-webkit-box-orient:vertical;display:-webkit-box;flex:1;-webkit-line-clamp:3;overflow:hidden}
.toast a,.toast button.link{color:inherit;font-weight:600}
.toast a{text-decoration:none}
@media (max-width:44rem){.days,.left-over{margin-bottom:.75rem}.toast{bottom:calc(4.75rem + env(safe-area-inset-bottom))}.days form{flex:1 1 12rem;margin-left:0;min-width:0}.days input{flex:1 1 8rem;min-width:0}.days a:not([rel]){display:none}.days a[rel]{gap:1rem;overflow:hidden;padding:.2rem .7rem;white-space:nowrap;width:2.75rem}.days a[rel=next]{justify-content:flex-end}.left-over{flex-wrap:nowrap;justify-content:space-between}.left-over>:is(button,.button){flex:none}}
`
