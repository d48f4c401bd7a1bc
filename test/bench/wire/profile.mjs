import { createHash } from 'node:crypto'
import { createBridgeClient } from '../../../electron/services/bridge/client/client.ts'
import { outlineJson } from '../../../electron/services/bridge/wire/json-outline.ts'
import { preferFullMarkSweep } from '../../../electron/services/heap.ts'
import { maskBytes } from '../../../electron/services/mask/mask.ts'
import { TreeSession } from '../../../renderer/workers/tree-session.ts'
import { getEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import { decodeUtf8 } from '../../../shared/json/inspection.ts'
import { startHost } from './start-host.mjs'

const NODES = 200_000
const ROUNDS = 4

/**
 * Processor milliseconds of the steps of one page of 5,000 cards, each alone and warm, the median
 * of all pages.
 */
export async function profilePage(token) {
  preferFullMarkSweep()
  const host = await startHost(NODES, token)
  const limits = { connectTimeoutMs: 5_000, idleTimeoutMs: 60_000, totalTimeoutMs: 60_000, maxBytes: 268_435_456 }
  const client = createBridgeClient({ limits: () => limits })
  const auth = { header: 'Authorization', scheme: 'Bearer' }
  const common = { tlsFingerprint: null, isReadOnly: true, epoch: 1, pathOverrides: {}, limits: null }
  const target = { ...common, baseUrl: host.baseUrl, token, auth }
  const ask = (cursor) =>
    client.request(target, {
      endpoint: getEndpoint('studySets.tree'),
      params: { topicid: host.topicid },
      query: { limit: 5_000, ...(cursor === null ? {} : { cursor }) },
    })
  const steps = new Map()
  const timed = async (name, work) => {
    const before = process.cpuUsage()
    const result = await work()
    const { user, system } = process.cpuUsage(before)
    steps.set(name, [...(steps.get(name) ?? []), (user + system) / 1_000])
    return result
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const session = new TreeSession('')
    let page = 0
    for (let cursor = null; cursor !== undefined; page += 1) {
      const before = process.cpuUsage()
      const { bytes } = await ask(cursor)
      const { user, system } = process.cpuUsage(before)
      steps.set('request', [...(steps.get('request') ?? []), (user + system) / 1_000])
      await timed('judge', () => outlineJson(bytes))
      await timed('mask', () => maskBytes(bytes, token, true))
      await timed('copy', () => bytes.slice())
      await timed('hash', () => createHash('sha256').update(bytes).digest())
      const text = await timed('decode', () => decodeUtf8(bytes).text)
      const value = await timed('JSON.parse', () => JSON.parse(text))
      await timed('read', () => session.addPage(bytes.slice().buffer, () => undefined))
      await timed('audit', () => (session.prepareSearch(page), session.auditPage(page)))
      cursor = value.nextCursor ?? undefined
    }
  }
  client.close()
  host.stop()
  const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
  return Object.fromEntries([...steps].map(([name, values]) => [name, median(values.slice(values.length / ROUNDS))]))
}
