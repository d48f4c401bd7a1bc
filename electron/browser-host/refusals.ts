import type { IncomingMessage, ServerResponse } from 'node:http'
import { respondAndClose, respond } from './responses.ts'

/** The status of a refused request, and a sentence for a user who made the request by accident. */
export interface Refusal {
  readonly status: number
  readonly en: string
  readonly zh: string
}

export const refusals = {
  foreign: {
    status: 403,
    en: 'This address does not belong to Bridge Inspector.',
    zh: '此地址不属于 Bridge Inspector。',
  },
  origin: {
    status: 403,
    en: 'This call did not come from Bridge Inspector’s own page.',
    zh: '此调用并非来自 Bridge Inspector 的页面。',
  },
  site: {
    status: 403,
    en: 'This page cannot be opened from another site. Type or paste its address instead.',
    zh: '不能从其他网站打开此页面，请手动输入或粘贴地址。',
  },
  method: {
    status: 405,
    en: 'This address does not support this method.',
    zh: '此地址不支持该请求方法。',
  },
  session: {
    status: 401,
    en: 'This browser has no access. Open the address that Bridge Inspector printed in its terminal; if it has already been used, restart Bridge Inspector.',
    zh: '此浏览器未获准进入。请打开 Bridge Inspector 在终端中显示的地址；如果该地址已用过，请重新启动。',
  },
  keyUnknown: {
    status: 403,
    en: 'This address is not from this run. Open the latest address that Bridge Inspector printed in its terminal, or restart it.',
    zh: '此地址不属于本次运行。请打开 Bridge Inspector 最近一次在终端中显示的地址，或重新启动。',
  },
  keyUsed: {
    status: 403,
    en: 'This address works only once and has already been used. A new one was just printed in the terminal where Bridge Inspector runs.',
    zh: '此地址只能使用一次，现已失效。Bridge Inspector 刚刚在其终端中显示了新地址。',
  },
  user: {
    status: 403,
    en: 'Only the user who runs Bridge Inspector on this machine can open this address.',
    zh: '只有在本机运行 Bridge Inspector 的用户才能打开此地址。',
  },
  ticket: {
    status: 403,
    en: 'This tab has no access. A new address was just printed in the terminal where Bridge Inspector runs.',
    zh: '此标签页未获准进入。Bridge Inspector 刚刚在其终端中显示了新地址。',
  },
  missing: { status: 404, en: 'There is no such page.', zh: '没有这个页面。' },
  broken: { status: 500, en: 'Something went wrong.', zh: '出错了。' },
} as const satisfies Record<string, Refusal>

/** Sends the reason and closes the connection: a browser gets a small page, a program text. */
export function sendRefusal(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  // A request whose `Host` header does not name this server gets no page at all.
  const isForPerson = refusal !== refusals.foreign && (request.headers.accept ?? '').includes('text/html')
  const isChinese = (request.headers['accept-language'] ?? '').toLowerCase().startsWith('zh')
  const sendText = (type: string, text: string): void =>
    respondAndClose(request, response, refusal.status, `${type}; charset=utf-8`, text)
  if (!isForPerson) return sendText('text/plain', refusal.en)
  const [language, text] = isChinese ? ['zh-CN', refusal.zh] : ['en', refusal.en]
  sendText('text/html', createTextPage(language, text))
}

/**
 * Builds a page of text. It loads no files, because those are served only to admitted browsers, and
 * has no style, which the policy of every response forbids inline.
 */
const createTextPage = (language: string, text: string, head = ''): string => `<!doctype html>
<html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">${head}
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<title>Bridge Inspector</title>
<main><h1>Bridge Inspector</h1><p>${text}</p></main></html>
`

/**
 * Sends a page that leads to a different path of this server. After a redirect, the browser would
 * still attribute the request to the site with the link, and withhold the new cookie.
 */
export function sendRedirectPage(response: ServerResponse, path: string): void {
  respond(
    response,
    200,
    'text/html; charset=utf-8',
    createTextPage('en', '…', `<meta http-equiv="refresh" content="0;url=${path}">`),
  )
}
