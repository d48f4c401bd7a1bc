/** @module-tag slow */

import { expect, onTestFinished, test } from 'vitest'
import { startDemoHost } from '../../../../electron/demo-host/server.ts'
import { startServedRecording } from '../../../../electron/demo-host/recorded/recorded-host.ts'
import { getNextCursor } from '../../../../shared/bridge/listing-cursor.ts'
import { pickRunCount } from '../../../support/data/run-count.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { startComposedApp, type ComposedApp } from '../../../support/program/composed-app.ts'
import { readStoredRecording } from '../../../support/services/replay-recording.ts'

const NODE_COUNT = pickRunCount(20_000, 200_000)

async function connect(host: { readonly baseUrl: string; readonly token: string }): Promise<ComposedApp> {
  const app = await startComposedApp(createTempDir(), [`--base-url=${host.baseUrl}`], {
    env: { BRIDGE_TOKEN: host.token },
  })
  expect(await app.call('connection.retry', {})).toMatchObject({ phase: 'online' })
  return app
}

/** What the program reads of a host: its library, a whole tree, a card, and parts of a picture. */
async function readHost({ call }: ComposedApp, topicid: string, noteid: string, contentId: string): Promise<unknown[]> {
  const results: unknown[] = []
  const read = async (endpoint: string, input: object = {}): Promise<unknown> => {
    const { bytes } = await call('bridge.read', { endpoint, params: {}, query: {}, ...input })
    const value: unknown = JSON.parse(Buffer.from(bytes).toString())
    results.push(value)
    return value
  }
  await read('capabilities.get')
  await read('studySets.list')
  let cursor: string | null = null
  do {
    const query = cursor === null ? {} : { cursor }
    cursor = getNextCursor(await read('studySets.tree', { params: { topicid }, query }))
  } while (cursor !== null)
  await read('notes.batchGet', { body: { noteIds: [noteid] } })
  const { handle, byteLength } = await call('content.open', {
    endpoint: 'notes.content',
    params: { noteid, contentId },
    query: {},
  })
  for (const [start, end] of [
    [0, 50],
    [100, 180],
  ] as const) {
    const slice = await call('content.slice', { handle, start, end })
    results.push(Buffer.from(slice.bytes).toString('base64'))
  }
  return [...results, byteLength]
}

test(
  'the program reads the library, a large tree, a card and ranges of a picture from a served recording',
  { tags: 'long' },
  async () => {
    const host = await startDemoHost({ nodes: NODE_COUNT })
    onTestFinished(host.close)
    const { library, generatedSet } = host.state
    const card = [...library.cards.values()].find(({ parts }) => parts.some(({ kind }) => kind === 'image'))
    const part = card?.parts.find(({ kind }) => kind === 'image')
    const input = [generatedSet.topicid, card?.noteid ?? '', part?.contentId ?? ''] as const
    const recorded = await connect(host)
    const results = await readHost(recorded, ...input)
    const source = await readStoredRecording(recorded)
    const served = await startServedRecording(source)
    onTestFinished(served.close)
    expect(await readHost(await connect(served), ...input)).toEqual(results)
    expect(served.log.filter(({ status }) => status === 404)).toEqual([])
    await recorded.dispose()
  },
)
