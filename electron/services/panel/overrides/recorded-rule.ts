import { randomUUID } from 'node:crypto'
import { isUtf8 } from 'node:buffer'
import { createRefusedError } from '../../../../shared/errors.ts'
import { parseQueryParameters, splitQuery, toLiteralTemplate } from '../../../../shared/panel/call-match.ts'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import type { ExchangeDetail, ExchangeRow, Header } from '../../../../shared/traffic/exchange.ts'
import { getHostApiPath } from '../../../../shared/traffic/exchange-url.ts'
import type { TrafficStore } from '../../traffic/traffic-store.ts'

/** They belong to one connection, to the encoded bytes, to a moment, or to a session. */
const TRANSIENT_HEADER =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|content-encoding|date|age|server|set-cookie2?|www-authenticate|authorization|etag|last-modified|access-control-.*)$/i
const REDACTED_TEXT = '[redacted]'
/** Limits of a rule, as in `overrideRuleSchema`. */
const MAX_HEADERS = 100
const MAX_NAME_CHARS = 200
const MAX_BODY_CHARS = 8_000_000

/**
 * Creates a rule that repeats the recorded response: status, reusable headers, and the body byte
 * for byte. The rule matches only the same method, path and query. An exchange without a response
 * becomes the matching fault.
 * @throws EXCHANGE_UNKNOWN; BODY_NOT_KEPT when the body is not stored completely or is too long for
 *   a rule.
 */
export async function createRuleFromExchange(
  store: Pick<TrafficStore, 'exchange' | 'body'>,
  seq: number,
): Promise<OverrideRule> {
  const detail = await store.exchange({ seq })
  if (!detail) throw createRefusedError('EXCHANGE_UNKNOWN', 'There is no such exchange (any more).')
  const { row } = detail
  const [path, search] = splitQuery(getHostApiPath(row))
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
    answer:
      row.status === null ? { kind: 'fault', fault: chooseFault(row) } : await buildResponse(store, detail, row.status),
    delayMs: 0,
  }
}

type Answer = OverrideRule['answer']

async function buildResponse(
  store: Pick<TrafficStore, 'body'>,
  { row, response, responseHeaders }: ExchangeDetail,
  status: number,
): Promise<Answer> {
  if (row.state !== 'answered') return { kind: 'fault', fault: 'cut' }
  if (response.missing !== null) throw createBodyMissingError('Its body was not kept whole.')
  const storedBody = response.kept === 0 ? null : await store.body(row.seq, 'response', 0, response.kept)
  const bytes = Buffer.from(storedBody?.bytes ?? [])
  if (bytes.byteLength < response.kept) throw createBodyMissingError('Its body was not kept whole.')
  const isText = isUtf8(bytes)
  const body = bytes.toString(isText ? 'utf8' : 'base64')
  if (body.length > MAX_BODY_CHARS) throw createBodyMissingError('Its body is too long for a rule.')
  return { kind: 'canned', status, headers: filterHeaders(responseHeaders), body, base64: !isText }
}

const filterHeaders = (headers: readonly Header[]): Header[] =>
  headers
    .filter(
      ([name, value]) =>
        !TRANSIENT_HEADER.test(name) && !value.includes(REDACTED_TEXT) && /^[\w!#$%&'*+.^`|~-]{1,200}$/.test(name),
    )
    .map(([name, value]): Header => [name, value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '')])
    .slice(0, MAX_HEADERS)

const createBodyMissingError = (message: string) => createRefusedError('BODY_NOT_KEPT', message)

/** Chooses the fault that has the same effect on the page as the recorded failure. */
function chooseFault({ errorCode, state }: ExchangeRow): Extract<Answer, { kind: 'fault' }>['fault'] {
  if (state === 'cancelled' || /TIMEOUT|TIMED_OUT/i.test(errorCode ?? '')) return 'hang'
  return /RESET|BROKE|CLOSED|HANG/i.test(errorCode ?? '') ? 'reset' : 'offline'
}
