/**
 * Texts that make a browser run or load something when a page does not escape them. Scripts call
 * `ran()`; `PORT` is replaced by the port of a server that records every request.
 */
const call = 'ran()'
const url = 'http://127.0.0.1:PORT/loaded'

const product = <A, B>(some: readonly A[], others: readonly B[], combine: (one: A, other: B) => string): string[] =>
  some.flatMap((entry) => others.map((other) => combine(entry, other)))

const elements = ['img', 'svg', 'body', 'video', 'audio', 'iframe', 'object', 'details', 'marquee', 'input', 'x']
const events = ['onerror', 'onload', 'onfocus', 'ontoggle', 'onanimationstart', 'onpointerenter', 'onbegin', 'onfinish']
const handlers = product(elements, events, (element, event) => `<${element} src=x autofocus open ${event}=${call}>`)

const elementsThatLoad = [
  `<script src="${url}"></script>`,
  `<img src="${url}">`,
  `<img srcset="${url} 1x">`,
  `<picture><source srcset="${url}"><img></picture>`,
  `<video poster="${url}"></video>`,
  `<video src="${url}" autoplay></video>`,
  `<audio src="${url}" autoplay></audio>`,
  `<track src="${url}">`,
  `<iframe src="${url}"></iframe>`,
  `<iframe srcdoc="<script>parent.${call}</script>"></iframe>`,
  `<embed src="${url}">`,
  `<object data="${url}"></object>`,
  `<link rel="stylesheet" href="${url}">`,
  `<link rel="prefetch" href="${url}">`,
  `<link rel="icon" href="${url}">`,
  `<meta http-equiv="refresh" content="0;url=${url}">`,
  `<meta http-equiv="Set-Cookie" content="a=b">`,
  `<base href="${url}/">`,
  `<form action="${url}"><input type=submit autofocus></form>`,
  `<button formaction="javascript:${call}">x</button>`,
  `<style>@import "${url}";</style>`,
  `<style>*{background:url("${url}")}</style>`,
  `<div style="background:url('${url}')">x</div>`,
  `<table background="${url}"><tr><td>x</td></tr></table>`,
  `<svg><image href="${url}"/></svg>`,
  `<svg><use href="${url}#x"/></svg>`,
  `<svg><script>${call}</script></svg>`,
  `<svg><script href="${url}"/></svg>`,
  `<svg><a xlink:href="javascript:${call}"><text y="20">x</text></a></svg>`,
  `<svg><animate attributeName="href" values="javascript:${call}"/></svg>`,
  `<svg><set attributeName="onmouseover" to="${call}"/></svg>`,
  `<svg><foreignObject><body onload=${call}></body></foreignObject></svg>`,
  `<math><maction actiontype="statusline" xlink:href="javascript:${call}">x</maction></math>`,
  `<math href="javascript:${call}">x</math>`,
]

const broken = [
  `<scr<script>ipt>${call}</scr</script>ipt>`,
  `<<script>${call}//<</script>`,
  `<script\n>${call}</script\n>`,
  `<script/x>${call}</script>`,
  `<SCRIPT>${call}</SCRIPT>`,
  `<ſcript>${call}</ſcript>`,
  `<script>${call}`,
  `</script><script>${call}</script>`,
  `--><script>${call}</script>`,
  `]]><script>${call}</script>`,
  `"><script>${call}</script>`,
  `'><script>${call}</script>`,
  `" onmouseover="${call}`,
  `' onfocus='${call}' autofocus='`,
  `javascript:${call}//<img src=x onerror=${call}>`,
  `<img src="x\`><script>${call}</script>">`,
  `<img """><script>${call}</script>">`,
  `<img src=x onerror\u0000=${call}>`,
  `<img/src=x/onerror=${call}>`,
  `<img src=x onerror="&#114;an()">`,
  `<img src=x onerror=${call} //`,
  `&lt;script&gt;${call}&lt;/script&gt;`,
  `&#60;script&#62;${call}&#60;/script&#62;`,
  `\\u003cscript\\u003e${call}\\u003c/script\\u003e`,
  `%3Cscript%3E${call}%3C/script%3E`,
  `\u{ff1c}script\u{ff1e}${call}\u{ff1c}/script\u{ff1e}`,
  `<noscript><p title="</noscript><img src=x onerror=${call}>">`,
  `<textarea></textarea><img src=x onerror=${call}>`,
  `<title></title><img src=x onerror=${call}>`,
  `<template><img src=x onerror=${call}></template>`,
  `<xmp></xmp><img src=x onerror=${call}>`,
  `<!--[if gte IE 4]><script>${call}</script><![endif]-->`,
  `<![CDATA[<script>${call}</script>]]>`,
  `<?xml-stylesheet href="javascript:${call}"?>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=${call}&gt;">`,
  `<svg></p><style><a id="</style><img src=x onerror=${call}>">`,
  `<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=${call}>`,
  `{{constructor.constructor('${call}')()}}`,
  `{{_openBlock.constructor('${call}')()}}`,
  `{{$emit.constructor('${call}')()}}`,
  `<x v-html="'<img src=x onerror=${call}>'"></x>`,
  `<x @click="${call}" :title="${call}" v-on:mount="${call}"></x>`,
  `\${${call}}`,
  `@:{'${call}'} {0} @.upper:ran`,
  `<a id=app><a id=app name=host href=x>`,
  `<form id=__proto__><input name=innerHTML></form>`,
]

const schemes = [
  `javascript:${call}`,
  `JaVaScRiPt:${call}`,
  `java\tscript:${call}`,
  `java\u0000script:${call}`,
  `\u0001javascript:${call}`,
  ` javascript:${call}`,
  `&#106;avascript:${call}`,
  `&#x6A&#x61vascript:${call}`,
  `java&Tab;script:${call}`,
  `javascript&colon;${call}`,
  `javascript%3A${call}`,
  `vbscript:${call}`,
  `livescript:${call}`,
  `data:text/html,<script>opener.${call}</script>`,
  `data:text/html;base64,PHNjcmlwdD5vcGVuZXIucmFuKCk8L3NjcmlwdD4=`,
  `data:image/svg+xml,<svg onload=${call}>`,
  `view-source:${url}`,
  `blob:${url}`,
  `filesystem:${url}`,
  `feed:javascript:${call}`,
  `jar:${url}!/`,
  `file:///etc/passwd`,
  `app://bridge-inspector/`,
  `bridge-content://bridge-inspector/x`,
  `//127.0.0.1:PORT/loaded`,
  `\\\\127.0.0.1:PORT\\loaded`,
  `/\\127.0.0.1:PORT/loaded`,
]

const markdown = [
  ...product(
    schemes,
    [(to: string) => `[x](${to})`, (to: string) => `[x](<${to}>)`, (to: string) => `<${to}>`],
    (to, format) => format(to),
  ),
  ...product(schemes, [0], (to) => `![x](${to})`),
  ...schemes.map((to, index) => `[ref${index}]: ${to}\n\n[ref${index}]`),
  `![x](${url})`,
  `![x][pixel]\n\n[pixel]: ${url}`,
  `[x](http://a" onmouseover="${call})`,
  `[x](http://a "title\\" onmouseover=\\"${call}")`,
  `[<img src=x onerror=${call}>](http://127.0.0.1/)`,
  `[![x](${url})](javascript:${call})`,
  `\`\`\`html" onmouseover="${call}\n<script>${call}</script>\n\`\`\``,
  `~~~<script>${call}</script>\nx\n~~~`,
  `# <img src=x onerror=${call}>`,
  `| <img src=x onerror=${call}> |\n| --- |\n| <script>${call}</script> |`,
  `> <script>${call}</script>`,
  `1. <script>${call}</script>`,
  `<details open ontoggle=${call}><summary>x</summary></details>`,
]

/** For titles, names and any other text. */
export const vectors: readonly string[] = [...handlers, ...elementsThatLoad, ...broken, ...schemes]
/** For the guide. */
export const guideVectors: readonly string[] = [...vectors, ...markdown]
