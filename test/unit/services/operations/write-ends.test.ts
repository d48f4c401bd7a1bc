/** @module-tag slow */

import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openRecording } from '../../../../electron/recording-file/recording-file.ts'
import { startDirectPanelListener } from '../../../../electron/browser-host/panel-listener.ts'
import { proposeToApp } from '../../../../electron/services/agents/client.ts'
import { ipcTopics } from '../../../../shared/ipc/index.ts'
import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'
import { startPanel } from '../../../../testing/index.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { startDemo } from '../../../support/hosts/demo.ts'
import { startAppForAgents, waitForProposal } from '../../../support/program/agents.ts'
import { createConnectionFlags, runCommandLine } from '../../../support/program/command-line.ts'
import { startComposedApp, type ComposedApp } from '../../../support/program/composed-app.ts'
import { createPanelFolder } from '../../../support/program/panel.ts'
import { buildTitleDraft, startWritableApp } from '../../../support/program/writable-app.ts'

const WRITE_COUNT = 30
const MAX_END_DELAY_MS = 1_000
const ALL_PERSISTED = new Array<string>(WRITE_COUNT).fill('persisted')

const buildTitleWrite = (index: number, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ text: `Title ${index}`, confirm: true }),
})

/** Waits for the thread, as every write after the first second of the program finds it running. */
const waitForRecorder = (app: ComposedApp): Promise<unknown> => app.call('traffic.info', {})

async function repeatWrite(write: (index: number) => Promise<unknown>): Promise<void> {
  for (let index = 0; index < WRITE_COUNT; index += 1) await write(index)
}

/** How long after its response the end of an operation was recorded; null if it has no end. */
function computeEndDelay(events: readonly OperationEvent[]): number | null {
  const start = events.find(({ kind }) => kind === 'sent')
  const response = events.find((event) => event.kind === 'answer')
  return start && response ? response.at - start.at - response.durationMs : null
}

async function expectEnds(app: ComposedApp, origin: string): Promise<void> {
  const { items } = await app.call('operations.list', { offset: 0, limit: 100 })
  expect(items.map(({ state }) => state)).toEqual(ALL_PERSISTED)
  expect(new Set(items.map(({ origin: source }) => source))).toEqual(new Set([origin]))
  for (const { id } of items) {
    const { events } = await app.call('operations.get', { id })
    expect(computeEndDelay(events)).toBeLessThan(MAX_END_DELAY_MS)
  }
}

/** Starts the app again with the same data, as after the end of the program. */
async function expectEndsAfterRestart({ dataDir, dispose }: ComposedApp): Promise<void> {
  await dispose()
  const app = await startComposedApp(dataDir, [])
  const { items } = await app.call('operations.list', { offset: 0, limit: 100 })
  expect(items.map(({ state }) => state)).toEqual(ALL_PERSISTED)
  expect(app.app.listNotices().filter(({ code }) => code === 'OPERATIONS_IN_FLIGHT')).toEqual([])
}

test('each write of a recorded client has its end, also after a restart', async () => {
  const { app, card } = await startWritableApp()
  const { baseUrl, key } = await app.call('clientProxy.start', {})
  await waitForRecorder(app)
  await repeatWrite(async (index) => {
    const init = buildTitleWrite(index, { authorization: `Bearer ${key ?? ''}` })
    const response = await fetch(`${baseUrl ?? ''}/notes/${card.noteid}/title`, init)
    expect(await response.json()).toMatchObject({ persisted: true })
  })
  await expectEnds(app, 'recorded')
  // The host confirmed each write, so that no view takes its change for a possible one.
  const changes = app.events
    .filter(({ topic }) => topic === 'bridge.dataChanged')
    .flatMap(({ payload }) => ipcTopics['bridge.dataChanged'].payload.parse(payload).changes)
    .filter(({ cause }) => cause?.origin.kind === 'recorded')
  expect(new Set(changes.map(({ isCertain }) => isCertain))).toEqual(new Set([true]))
  await expectEndsAfterRestart(app)
})

test('each write of a panel has its end', async () => {
  const { app, card } = await startWritableApp()
  const listener = await startDirectPanelListener(app.app.panel)
  onTestFinished(listener.close)
  await app.call('panel.open', { source: { kind: 'folder', path: createPanelFolder() } })
  const { url } = await app.call('panel.configure', { writes: 'let-through', allowMode: 'all' })
  await waitForRecorder(app)
  await repeatWrite(async (index) => {
    const response = await fetch(new URL(`/bridge/v1/notes/${card.noteid}/title`, url ?? ''), buildTitleWrite(index))
    expect(await response.json()).toMatchObject({ persisted: true })
  })
  await expectEnds(app, 'sent')
})

test('each write that a person composes has its end', async () => {
  const { app, card, sendDraft } = await startWritableApp()
  await waitForRecorder(app)
  await repeatWrite((index) => sendDraft({ ...buildTitleDraft(card.noteid, `Title ${index}`), caller: 'console' }))
  await expectEnds(app, 'sent')
})

test('each write of an agent has its end', async () => {
  const dataDir = createTempDir()
  const { app, host, card, stop } = await startAppForAgents(dataDir)
  onTestFinished(stop)
  await waitForRecorder(app)
  await repeatWrite(async (index) => {
    const draft = buildTitleDraft(card.noteid, `Title ${index}`)
    const proposal = { agent: 'test', baseUrl: host.baseUrl, draft }
    const outcome = proposeToApp({ dataDir, proposal, signal: AbortSignal.timeout(60_000), onStage: () => undefined })
    await app.call('agents.decide', { id: (await waitForProposal(app)).id, send: true })
    await outcome
  })
  await expectEnds(app, 'sent')
})

test('each write in the kit for tests has its end', async () => {
  const { host, noteid } = await startHost()
  const panel = await startPanel({ host, writes: 'allow', dataDir: createTempDir() })
  onTestFinished(async () => void (await panel.close()))
  await panel.calls()
  await repeatWrite(async (index) => {
    const response = await fetch(new URL(`/bridge/v1/notes/${noteid}/title`, panel.url), buildTitleWrite(index))
    expect(await response.json()).toMatchObject({ persisted: true })
  })
  const operations = await panel.operations()
  expect(operations.map(({ state }) => state)).toEqual(ALL_PERSISTED)
})

async function startHost() {
  const { host } = await startDemo({ nodes: 20 })
  onTestFinished(() => host.close())
  return { host, noteid: host.state.library.sets[0]?.cards[0]?.noteid ?? '' }
}

const RECORDED_CLIENT = `
const { BRIDGE_BASE_URL: base, BRIDGE_TOKEN: token } = process.env
const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' }
// The thread of the recorder starts a second after the first request.
await fetch(base + '/status', { headers })
await new Promise((resolve) => setTimeout(resolve, 2500))
for (let index = 0; index < ${WRITE_COUNT}; index += 1) {
  const body = JSON.stringify({ text: 'Title ' + index, confirm: true })
  const response = await fetch(base + '/notes/' + process.argv[1] + '/title', { method: 'POST', headers, body })
  if (response.status !== 200) process.exit(9)
}
`

test('each write of a program under the command record has its end in the journal and in the recording', async () => {
  const { host, noteid } = await startHost()
  const dataDir = createTempDir()
  const file = path.join(createTempDir(), 'writes.birec')
  const run = await runCommandLine([
    ...['record', '--write', '-o', file, ...createConnectionFlags(host, dataDir)],
    ...['--', process.execPath, '--input-type=module', '-e', RECORDED_CLIENT, noteid],
  ])
  expect([run.code, run.stderr]).toEqual([0, expect.any(String)])
  const app = await startComposedApp(dataDir, [])
  const { items } = await app.call('operations.list', { offset: 0, limit: 100 })
  expect(items.map(({ state }) => state)).toEqual(ALL_PERSISTED)
  const recording = await openRecording(file)
  onTestFinished(() => recording.close())
  const recorded = await recording.listLines('operations')
  expect(recorded.map(({ events }) => events.some(({ kind }) => kind === 'answer'))).toEqual(
    new Array<boolean>(WRITE_COUNT).fill(true),
  )
})
