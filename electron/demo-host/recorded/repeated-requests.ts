import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { createReplay, type ReplayResponse } from '../../core/recordings/replay/replay.ts'
import { buildReplayTimeline, type ReplaySource } from '../../core/recordings/replay/replay-timeline.ts'
import type { RecordedExchange } from '../../../shared/recordings/recording.ts'
import type { RepeatedExchange } from '../../core/recordings/reduction/recording-reduction.ts'
import { getHostApiPath } from '../../../shared/traffic/exchange-url.ts'
import { createNotRecordedReply, UNDERIVED } from './not-recorded.ts'
import { loadReply } from './recorded-reply.ts'

/** Requests that are handled before others get the thread. */
const REQUESTS_PER_TURN = 20

/** Sends a recording's requests again to itself, served as a host; nothing leaves the process. */
export async function* repeatRequests(source: ReplaySource): AsyncGenerator<RepeatedExchange> {
  const readExchanges = (): AsyncGenerator<RecordedExchange> => takeTurns(source.readExchanges())
  const timeline = await buildReplayTimeline({ ...source, readExchanges })
  const replay = createReplay(timeline)
  const readBody = async (name: string | null): Promise<Uint8Array | null> =>
    name === null ? null : source.readBody(name)
  for await (const exchange of readExchanges()) {
    const { row, requestHeaders: headers } = exchange
    const request = await readBody(exchange.requestBody)
    // The program, the check of the token or another host responded, not the one that is served.
    if (row.rule !== null || row.status === 401 || !timeline.isOfHost(exchange)) {
      yield { row, request, response: await readBody(exchange.responseBody) }
      continue
    }
    const bodyText = request && new TextDecoder().decode(request)
    const reply = replay.respond({ method: row.method, path: getHostApiPath(row), headers, bodyText })
    yield { request, ...(await toRepetition(source, exchange, reply, replay.chosenRequestIds)) }
  }
}

async function* takeTurns(exchanges: ReturnType<ReplaySource['readExchanges']>): AsyncGenerator<RecordedExchange> {
  let count = 0
  for await (const exchange of exchanges) {
    count += 1
    if (count % REQUESTS_PER_TURN === 0) await yieldToOthers()
    yield exchange
  }
}

async function toRepetition(
  source: ReplaySource,
  { row }: RecordedExchange,
  reply: ReplayResponse,
  chosenRequestIds: ReadonlyMap<string, string>,
): Promise<Pick<RepeatedExchange, 'row' | 'response'>> {
  if (reply.kind === 'broken') {
    const { state, status, errorCode } = reply.exchange.row
    return { row: { ...row, state, status, errorCode }, response: null }
  }
  const loaded = reply.kind === 'not-recorded' ? null : await loadReply(source, reply, chosenRequestIds)
  if (loaded) {
    const errorCode = reply.kind === 'recorded' ? reply.exchange.row.errorCode : null
    return { row: { ...row, state: 'answered', status: loaded.status, errorCode }, response: loaded.bytes }
  }
  const missing = reply.kind === 'not-recorded' ? reply : UNDERIVED
  const { text } = createNotRecordedReply(row.method, getHostApiPath(row), missing)
  const response = new TextEncoder().encode(text)
  return { row: { ...row, state: 'answered', status: 404, errorCode: 'NOT_RECORDED' }, response }
}
