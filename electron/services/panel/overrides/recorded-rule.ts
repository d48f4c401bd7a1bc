import { randomUUID } from 'node:crypto'
import { isUtf8 } from 'node:buffer'
import { createRefusedError } from '../../../../shared/errors.ts'
import { parseQueryParameters, toLiteralTemplate, type OverrideRule } from '../../../../shared/panel/overrides.ts'
import type { ExchangeDetail, ExchangeRow, Header } from '../../../../shared/traffic/exchange.ts'
import { getHostApiPath } from '../../../../shared/traffic/exchange-url.ts'
import type { TrafficStore } from '../../traffic/traffic-store.ts'

/**
 * Headers that belong to one connection, to the bytes on the wire, to the moment, or to somebody's
 * session.
 */
const passing =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|content-encoding|date|age|server|set-cookie2?|www-authenticate|authorization|etag|last-modified|access-control-.*)$/i
const HIDDEN = '[redacted]'
/** Bounds of a rule (`overrideRuleSchema`). */
const MAX_HEADERS = 100
const MAX_NAME_CHARS = 200
const MAX_BODY_CHARS = 8_000_000

/**
 * A rule that answers a request like this one with what was recorded: status, headers that matter,
 * and the body byte for byte. It meets the same path and query only. An exchange without an answer
 * becomes the fault that it was. Throws `EXCHANGE_UNKNOWN`, and `BODY_NOT_KEPT` if its body is not
 * kept whole or is too long for a rule.
 */
export async function createRuleFromExchange(
  store: Pick<TrafficStore, 'exchange' | 'body'>,
  seq: number,
): Promise<OverrideRule> {
  const detail = await store.exchange({ seq })
  if (!detail) throw createRefusedError('EXCHANGE_UNKNOWN', 'There is no such exchange (any more).')
  const { row } = detail
  const [path = '', search = ''] = splitQuery(getHostApiPath(row))
  const query = Object.fromEntries(parseQueryParameters(search))
  return {
    id: randomUUID(),
    name: `${row.method} ${path}`.slice(0, MAX_NAME_CHARS),
    on: true,
    match: {
      method: row.method.toUpperCase(),
      path: toLiteralTemplate(path),
      ...(Object.keys(query).length === 0 ? {} : { query }),
    },
    answer: row.status === null ? { kind: 'fault', fault: faultOf(row) } : await recorded(store, detail, row.status),
    delayMs: 0,
  }
}

function splitQuery(path: string): [string, string] {
  const mark = path.indexOf('?')
  return mark < 0 ? [path, ''] : [path.slice(0, mark), path.slice(mark + 1)]
}

type Answer = OverrideRule['answer']

async function recorded(
  store: Pick<TrafficStore, 'body'>,
  { row, response, responseHeaders }: ExchangeDetail,
  status: number,
): Promise<Answer> {
  if (row.state !== 'answered') return { kind: 'fault', fault: 'cut' }
  if (response.missing !== null) throw notKept('Its body was not kept whole.')
  const found = response.kept === 0 ? null : await store.body(row.seq, 'response', 0, response.kept)
  const bytes = Buffer.from(found?.bytes ?? [])
  if (bytes.byteLength < response.kept) throw notKept('Its body was not kept whole.')
  const isText = isUtf8(bytes)
  const body = bytes.toString(isText ? 'utf8' : 'base64')
  if (body.length > MAX_BODY_CHARS) throw notKept('Its body is too long for a rule.')
  return { kind: 'canned', status, headers: kept(responseHeaders), body, base64: !isText }
}

const kept = (headers: readonly Header[]): Header[] =>
  headers
    .filter(
      ([name, value]) => !passing.test(name) && !value.includes(HIDDEN) && /^[\w!#$%&'*+.^`|~-]{1,200}$/.test(name),
    )
    .map(([name, value]): Header => [name, value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '')])
    .slice(0, MAX_HEADERS)

const notKept = (message: string) => createRefusedError('BODY_NOT_KEPT', message)

/** What the page would meet the same way. */
function faultOf({ errorCode, state }: ExchangeRow): Extract<Answer, { kind: 'fault' }>['fault'] {
  if (state === 'cancelled' || /TIMEOUT|TIMED_OUT/i.test(errorCode ?? '')) return 'hang'
  return /RESET|BROKE|CLOSED|HANG/i.test(errorCode ?? '') ? 'reset' : 'offline'
}
