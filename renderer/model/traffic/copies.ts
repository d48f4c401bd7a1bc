import type { ExchangeDetail } from '../../../shared/traffic/exchange.ts'
import { panelPath, sentHeaders, urlOf } from './url.ts'

/** An exchange and the text of its request's body: null if it has none, or it is not text. */
export interface Copied {
  readonly detail: ExchangeDetail
  readonly body: string | null
}

/** A text as one word of a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The same with `$BRIDGE_TOKEN` in it, which the shell replaces. */
const shellToken = (before: string, after: string): string =>
  `${before === '' ? '' : shellWord(before)}"$BRIDGE_TOKEN"${after === '' ? '' : shellWord(after)}`

/** Sent as a file, because it cannot be written down. */
const isBinary = ({ detail, body }: Copied): boolean =>
  detail.request.kept > 0 && (body === null || body.includes('\0'))

/** What is missing of the request's body; undefined if nothing is. */
function gap({ request }: ExchangeDetail): string | undefined {
  if (request.missing === null) return undefined
  return `only ${request.kept} of ${request.total ?? 'an unknown number of'} bytes of the body were kept`
}

/** A command line that sends the request again. The token is `$BRIDGE_TOKEN`, which has to be set where it is run. */
export function curlOf(copied: Copied): string {
  const { row, requestHeaders } = copied.detail
  const url = urlOf(row)
  const missing = gap(copied.detail)
  const { body } = copied
  const data = isBinary(copied)
    ? ['--data-binary @body.bin']
    : body === null || body === ''
      ? []
      : [`--data-raw ${shellWord(body)}`]
  const parts = [
    // Brackets and braces in an address would be expanded.
    `curl ${/[[\]{}]/.test(url) ? '-g ' : ''}${row.method === 'GET' && data.length === 0 ? '' : `-X ${shellWord(row.method)} `}${shellWord(url)}`,
    ...sentHeaders(requestHeaders).map(({ name, value, token }) =>
      token === null ? `-H ${shellWord(`${name}: ${value}`)}` : `-H ${shellToken(`${name}: ${token[0]}`, token[1])}`,
    ),
    ...data,
  ]
  return `${missing === undefined ? '' : `# ${missing}\n`}${parts.join(' \\\n  ')}`
}

/** JSON as an expression of JavaScript, if that is the same text again; otherwise a string. */
function bodyExpression(body: string): string {
  try {
    const same = JSON.stringify(JSON.parse(body)) === body.trim()
    // As a literal, this name would set a prototype.
    if (same && !body.includes('__proto__') && /^[[{]/.test(body.trim())) return `JSON.stringify(${body.trim()})`
  } catch {
    // Not JSON.
  }
  return JSON.stringify(body)
}

/** A call of `fetch` for Node, with the token from the environment. */
export function fetchOf(copied: Copied): string {
  const { row, requestHeaders } = copied.detail
  const headers = sentHeaders(requestHeaders).map(({ name, value, token }) => {
    const said =
      token === null
        ? JSON.stringify(value)
        : `\`${template(token[0])}\${process.env.BRIDGE_TOKEN}${template(token[1])}\``
    return `    ${JSON.stringify(name)}: ${said},`
  })
  const lines = [
    ...comment(copied),
    `await fetch(${JSON.stringify(urlOf(row))}, {`,
    `  method: ${JSON.stringify(row.method)},`,
    ...(headers.length > 0 ? ['  headers: {', ...headers, '  },'] : []),
    ...bodyLine(copied),
    '})',
  ]
  return lines.join('\n')
}

/** A call of the panel's helper (spec §1), which needs no token. */
export function hostApiOf(copied: Copied): string {
  const { row } = copied.detail
  const path = JSON.stringify(panelPath(row))
  const body = bodyLine(copied)
  if (row.method === 'GET' && body.length === 0) return `await host.api(${path})`
  const lines = [
    ...comment(copied),
    `await host.api(${path}, {`,
    `  method: ${JSON.stringify(row.method)},`,
    ...(body.length > 0 ? [`  headers: { 'Content-Type': 'application/json' },`, ...body] : []),
    '})',
  ]
  return lines.join('\n')
}

const template = (text: string): string => text.replace(/[\\`$]/g, String.raw`\$&`)

const comment = (copied: Copied): string[] => {
  const missing = gap(copied.detail)
  return missing === undefined ? [] : [`// ${missing}`]
}

function bodyLine(copied: Copied): string[] {
  if (isBinary(copied)) return ["  body: await (await import('node:fs/promises')).readFile('body.bin'),"]
  return copied.body === null || copied.body === '' ? [] : [`  body: ${bodyExpression(copied.body)},`]
}
