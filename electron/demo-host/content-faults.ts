import { endlessTune } from './media/melody.ts'
import type { BytesReply, DemoReply } from './reply.ts'

/** Faults of pictures, sound, film and files. */
export const contentFaults = {
  'no-range': 'pictures, sound, film and files are always sent whole, despite Range',
  'wrong-range': 'a Range is answered with the bytes next to it',
  'svg-content': 'every picture, sound, film and file is an SVG with scripts',
  'html-content': 'every picture, sound, film and file is HTML with scripts that calls itself a PNG',
  'untyped-content': 'pictures, sound, film and files without a content type',
  'huge-media': 'sound and film of 512 MB, generated while being sent',
} as const
export type ContentFault = keyof typeof contentFaults

export const isContentFault = (name: string): name is ContentFault => Object.hasOwn(contentFaults, name)

/** Everything in it would run or load if a page let it; `loads` is a server that counts, which only a test knows. */
export const hostileSvg = (loads = 'http://127.0.0.1:9'): string => `<?xml version="1.0"?>
<!-- not the first element -->
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="320" height="200" onload="hacked('onload')">
<script>function hacked(by) { try { top.hacked = by } catch {} ; new Image().src = '${loads}/ran-' + by }; hacked('script')</script>
<script xlink:href="${loads}/script.js"/>
<style>@import url(${loads}/style.css); rect { fill: url(${loads}/fill.svg#x) }</style>
<rect width="320" height="200" fill="#e8f0e4"/>
<text x="16" y="40" font-size="20">An SVG with scripts</text>
<image href="${loads}/image.png" width="10" height="10"/>
<use href="${loads}/use.svg#x"/>
<a href="javascript:hacked('link')"><text x="16" y="80">a link</text></a>
<animate attributeName="x" onbegin="hacked('animate')" dur="1s"/>
<foreignObject width="300" height="100"><body xmlns="http://www.w3.org/1999/xhtml">
<img src="${loads}/foreign.png" onerror="hacked('foreign')"/><iframe src="${loads}/frame"></iframe>
<meta http-equiv="refresh" content="1;url=${loads}/refresh"/>
<form action="${loads}/form"><button>send</button></form></body></foreignObject>
</svg>
`

export const hostileHtml = (loads = 'http://127.0.0.1:9'): string => `<!doctype html>
<title>HTML as content</title><script>try { top.hacked = 'html' } catch {}; new Image().src = '${loads}/html-ran'</script>
<img src="${loads}/html-image.png" onerror="top.hacked='html-image'"><iframe src="${loads}/html-frame"></iframe>
<meta http-equiv="refresh" content="1;url=${loads}/html-refresh"><link rel="stylesheet" href="${loads}/html.css">
<p>HTML that calls itself a picture
`

const text = (mimeType: string, body: string): BytesReply => ({ kind: 'bytes', mimeType, bytes: Buffer.from(body) })

/** Changes a route's own bytes, or how they are sent. */
export function spoilContent(name: string, reply: BytesReply): DemoReply {
  switch (name) {
    case 'svg-content':
      return text('image/svg+xml', hostileSvg())
    case 'html-content':
      return text('image/png', hostileHtml())
    case 'untyped-content':
      return { ...reply, mimeType: '' }
    case 'no-range':
      return { ...reply, ranges: 'ignored' }
    case 'wrong-range':
      return { ...reply, ranges: 'wrong' }
    case 'huge-media':
      return /^(?:audio|video)\//.test(reply.mimeType)
        ? { kind: 'made', mimeType: 'audio/wav', ...endlessTune(512 * 1024 * 1024) }
        : reply
    default:
      return reply
  }
}
