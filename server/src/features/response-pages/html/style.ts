/** The style sheet of all response pages: the reader's colour scheme, any width from 280 pixels, no fonts to
 *  fetch. All text has a contrast of at least 4.5 to 1 in both schemes. */
export const STYLE = `
:root{color-scheme:light dark;--ground:#eef1f6;--card:#fff;--edge:#d9dfe9;--ink:#141a26;--soft:#4a5468;--accent:#2350c9;--tint:#e8eefc;--bad:#a3201d;--bad-tint:#fdecea;--plate:transparent}
@media (prefers-color-scheme:dark){:root{--ground:#0d1119;--card:#171d29;--edge:#2c3547;--ink:#f0f3f9;--soft:#b0bacb;--accent:#8fb0ff;--tint:#202c49;--bad:#ffaaa3;--bad-tint:#3b1d1f;--plate:#f4f6fa}}
*{box-sizing:border-box}
html{height:100%;-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100%;display:grid;place-items:center;padding:1.5rem 1rem;background:var(--ground);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{width:100%;max-width:36rem;padding:clamp(1.75rem,6vw,3rem);background:var(--card);border:1px solid var(--edge);border-radius:1rem;box-shadow:0 1px 2px rgb(10 20 40/.05),0 16px 40px rgb(10 20 40/.08);text-align:center}
.logo{display:block;width:fit-content;max-width:100%;margin:0 auto 2rem;padding:var(--plate-pad,0);background:var(--plate);border-radius:.5rem}
.logo img{display:block;max-width:100%;height:auto}
.badge{display:grid;place-items:center;width:4.5rem;height:4.5rem;margin:0 auto 1.25rem;border-radius:50%;background:var(--tint);color:var(--accent)}
.icon{display:block;width:2.5rem;height:2.5rem;fill:none;stroke:currentColor;stroke-width:2.6;stroke-linecap:round;stroke-linejoin:round}
.title{margin:0 0 .35rem;color:var(--accent);font-size:.9375rem;font-weight:600}
h1{margin:0;font-size:clamp(1.375rem,5vw,1.75rem);line-height:1.25;font-weight:700;letter-spacing:-.01em;text-wrap:balance}
.text{margin:1rem 0 0;color:var(--soft);white-space:pre-line;text-wrap:pretty}
.title,h1,.text,.error{overflow-wrap:anywhere}
.challenge{display:flex;align-items:center;justify-content:center;gap:.75rem;margin:1.75rem 0 0;padding:1.25rem;min-height:5.5rem;border:2px dashed var(--edge);border-radius:.75rem;color:var(--soft);font-size:.9375rem}
.box{flex:none;width:1.5rem;height:1.5rem;border:2px solid var(--soft);border-radius:.375rem}
.error{display:flex;gap:.6rem;align-items:flex-start;margin:1rem 0 0;padding:.75rem 1rem;border-radius:.75rem;background:var(--bad-tint);color:var(--bad);text-align:start}
.error svg{flex:none;width:1.25rem;height:1.25rem;margin-top:.175rem;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round}
.error span{min-width:0;white-space:pre-line}
.progress{width:100%;max-width:16rem;height:.375rem;margin:1.75rem auto 0;overflow:hidden;border-radius:1rem;background:var(--tint)}
.progress i{display:block;width:40%;height:100%;border-radius:1rem;background:var(--accent);animation:run 1.4s ease-in-out infinite alternate}
@keyframes run{to{transform:translateX(150%)}}
@media (prefers-color-scheme:dark){.logo{--plate-pad:.75rem}}
@media (prefers-reduced-motion:reduce){.progress i{animation:none;width:100%}}
@media (forced-colors:active){.icon,.box,.error{border-color:CanvasText}.progress{border:1px solid}}
@media print{body{background:none}main{border:0;box-shadow:none}}
`
  .trim()
  .replace(/\n/g, '');
