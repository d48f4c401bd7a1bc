/** @module-tag slow */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startServedRecording } from '../../../../electron/demo-host/recorded/recorded-host.ts'
import { HostStepRequests, hostSteps, isReadStep, type HostStep } from '../../../support/data/host-steps.ts'
import { pickRunCount } from '../../../support/data/run-count.ts'
import {
  sendToServed,
  startReplayRecording,
  type ReceivedResponse,
  type SentRequest,
} from '../../../support/services/replay-recording.ts'

const BATCH_COUNT = pickRunCount(1, 20)
const SEQUENCES_PER_BATCH = pickRunCount(20, 50)
const comparedHeaders = ['content-type', 'content-length', 'content-range', 'accept-ranges', 'etag', 'allow']

/** What a client can see of a response. */
const toComparable = ({ status, headers, bytes }: ReceivedResponse) => ({
  status,
  headers: comparedHeaders.map((name) => [name, headers.get(name)]),
  body: bytes.toString('latin1'),
})

interface StepExchange {
  readonly request: SentRequest
  readonly isRead: boolean
  readonly response: ReceivedResponse
}

/** Asks a demo host, following the pages of a listing. */
async function runSteps(
  steps: readonly HostStep[],
): Promise<{ exchanges: StepExchange[]; recording: Awaited<ReturnType<typeof startReplayRecording>> }> {
  const recording = await startReplayRecording()
  const requests = new HostStepRequests(recording.host.state)
  const exchanges: StepExchange[] = []
  for (const step of steps) {
    let request: SentRequest | null = requests.create(step)
    for (let page = 0; request !== null && page < 4; page += 1) {
      const response = await recording.send(request)
      exchanges.push({ request, isRead: isReadStep(step) || step.kind === 'result', response })
      request = step.kind === 'tree-pages' ? toNextPage(request, response) : null
    }
  }
  return { exchanges, recording }
}

function toNextPage(request: SentRequest, { status, bytes }: ReceivedResponse): SentRequest | null {
  const { nextCursor } = (status === 200 ? JSON.parse(bytes.toString()) : {}) as { nextCursor?: string | null }
  if (!nextCursor) return null
  const path = request.path.replace(/&cursor=[^&]*/, '')
  return { ...request, path: `${path}&cursor=${encodeURIComponent(nextCursor)}` }
}

test.each(Array.from({ length: BATCH_COUNT }, (_, batch) => batch + 1))(
  'a served recording responds to a random sequence as the host did, and to its reads in another order (batch %i)',
  { tags: 'long' },
  async () => {
    await fc.assert(
      fc.asyncProperty(hostSteps, fc.infiniteStream(fc.nat()), async (steps, orders) => {
        const { exchanges, recording } = await runSteps(steps)
        const served = await startServedRecording(await recording.toSource())
        try {
          for (const [index, { request, response }] of exchanges.entries())
            expect([index, request, toComparable(await sendToServed(served, request))]).toEqual([
              index,
              request,
              toComparable(response),
            ])
          served.rewind()
          for (const { request, response } of reorderReads(exchanges, () => orders.next().value ?? 0))
            expect([request, toComparable(await sendToServed(served, request))]).toEqual([
              request,
              toComparable(response),
            ])
        } finally {
          await served.close()
          await recording.close()
        }
      }),
      { numRuns: SEQUENCES_PER_BATCH },
    )
  },
)

/** Mixes the reads between two writes. Equal requests keep their order, as their responses do. */
function reorderReads(exchanges: readonly StepExchange[], pick: () => number): StepExchange[] {
  const result: StepExchange[] = []
  let reads: StepExchange[][] = []
  const flush = (): void => {
    while (reads.length > 0) {
      const queue = reads[pick() % reads.length] ?? []
      result.push(...queue.splice(0, 1))
      reads = reads.filter((other) => other.length > 0)
    }
  }
  for (const step of exchanges) {
    if (!step.isRead) {
      flush()
      result.push(step)
      continue
    }
    const name = toQueueName(step.request)
    const queue = reads.find(([first]) => first && toQueueName(first.request) === name)
    if (queue) queue.push(step)
    else reads.push([step])
  }
  flush()
  return result
}

/** Pages of one listing follow each other. */
const toQueueName = ({ method = 'GET', path, body, headers }: SentRequest): string =>
  JSON.stringify([method, path.replace(/&cursor=[^&]*/, ''), body, headers])

test(
  'what was not recorded at a moment is returned as the host returned it, or not at all',
  { tags: 'long' },
  async () => {
    let served = 0
    await fc.assert(
      fc.asyncProperty(hostSteps, fc.infiniteStream(fc.boolean()), async (steps, choices) => {
        const { exchanges, recording } = await runSteps(steps)
        const omitted = new Set(
          exchanges.flatMap(({ isRead }, index) => (isRead && choices.next().value ? [index] : [])),
        )
        let position = -1
        const source = await recording.toSource(() => !omitted.has((position += 1)))
        const host = await startServedRecording(source)
        try {
          for (const [index, { request, response }] of exchanges.entries()) {
            const received = await sendToServed(host, request)
            const isMissing = received.status === 404 && received.bytes.includes('NOT_RECORDED')
            if (omitted.has(index) && (isMissing || changesByItself(request, response))) continue
            served += omitted.has(index) ? 1 : 0
            expect([request, toComparable(received).body]).toEqual([request, toComparable(response).body])
          }
        } finally {
          await host.close()
          await recording.close()
        }
      }),
      { numRuns: pickRunCount(30, 300) },
    )
    expect(served).toBeGreaterThan(0)
  },
)

/** They tell the time, about the server itself, and how far an accepted write is. */
const changesByItself = ({ path }: SentRequest, { status }: ReceivedResponse): boolean =>
  path === '/context' || path === '/status' || (path === '/writing/pencil-result' && status === 200)
