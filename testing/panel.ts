import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { composeApp, type App } from '../electron/app-composition.ts'
import { startDirectPanelListener } from '../electron/browser-host/panel-listener.ts'
import { parseConfig } from '../electron/config.ts'
import { createInternalCalls } from '../electron/handlers/dispatcher.ts'
import { fromWireError } from '../shared/errors.ts'
import type { IpcCallFunction } from '../electron/core/agent-socket.ts'
import { DEFAULT_REDACTION, type RedactionPolicy } from '../shared/recordings/recording.ts'
import type { TrafficFilter } from '../shared/traffic/traffic-filter.ts'
import { MAX_ROWS_PER_CALL } from '../shared/ipc/traffic.ts'
import type { FindingClass, FindingScope } from '../shared/protocol/finding.ts'
import type { PanelCall, PanelSource, PanelWriteMode } from '../shared/panel/panel.ts'
import { CoverageCounter } from '../shared/panel/coverage.ts'
import { measureCoverage } from '../electron/core/contract/contract-coverage.ts'
import { describeFinding } from '../electron/core/protocol/described-finding.ts'
import { findInitiatorPlace } from '../shared/traffic/call-initiator.ts'
import type * as api from './api.ts'
import { watchStudySets } from './card-changes.ts'
import { startDemoHost } from './demo-host.ts'
import { createHeldCalls } from './held-calls.ts'
import { checkOptions, toFilePath } from './options.ts'
import { OverrideList } from './overrides.ts'
import { NodeAbortController } from '../electron/core/node-abort.ts'

const isFromSources = import.meta.url.endsWith('.ts')
const root = new URL(isFromSources ? '..' : '../..', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }
const workers = isFromSources
  ? {
      demo: 'electron/demo-host/worker.ts',
      traffic: 'electron/services/traffic/thread/worker.ts',
      snapshots: 'electron/services/snapshots/thread/worker.ts',
      sourceMaps: 'electron/services/panel/source-map-thread/worker.ts',
    }
  : {
      demo: 'out/cli/worker.js',
      traffic: 'out/cli/traffic.js',
      snapshots: 'out/cli/snapshots.js',
      sourceMaps: 'out/cli/source-maps.js',
    }

const writeModes: Readonly<Record<NonNullable<api.PanelOptions['writes']>, PanelWriteMode>> = {
  allow: 'let-through',
  ask: 'ask',
  refuse: 'refuse',
}

export const startPanel: typeof api.startPanel = (options) => startPanelWith(new OverrideList(), options)

/** @param rules may have overrides that were added before the start */
export async function startPanelWith(rules: OverrideList, options: api.PanelOptions = {}): Promise<api.Panel> {
  checkOptions('startPanel', options)
  const { writes = 'refuse' } = options
  rules.setFixed(options.overrides ?? [])
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-testing-'))
  const closers: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })]
  const closeAll = async (): Promise<void> => {
    const errors: unknown[] = []
    for (const closer of closers.reverse()) {
      try {
        await closer()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, `The panel was not closed completely: ${String(errors[0])}`)
  }
  try {
    let { host } = options
    if (!host) {
      const demoHost = await startDemoHost()
      closers.push(demoHost.close)
      host = demoHost
    }
    const app = await startServices(host, rules, options, folder)
    closers.push(app.dispose)
    const call = createInternalCalls(app.dispatcher, 'testing')
    await connect(call, writes !== 'refuse')
    if (options.wrappers) await call('settings.update', { panelWrappers: [...options.wrappers] })
    const listener = await startDirectPanelListener(app.panel)
    closers.push(listener.close)
    const earlierOperationIds = new Set((await listOperations(call)).map(({ id }) => id))
    const changes = await watchStudySets(call, options.studySets ?? [])
    await call('panel.open', { source: toPanelSource(options.panel, folder) })
    await app.panel.waitForRules()
    const plugin = options.plugin === undefined ? {} : { pluginId: options.plugin }
    const { url } = await call('panel.configure', { writes: writeModes[writes], ...plugin })
    const closed = new NodeAbortController()
    closers.push(() => closed.abort())
    const { held, hold } = createHeldCalls(call, app, closed.signal)
    const callWhileOpen: IpcCallFunction = (...parameters) => {
      if (!closed.signal.aborted) return call(...parameters)
      throw new Error('The panel is closed, so nothing of it can be read. close() resolves to its findings.')
    }
    const reports = createReports(callWhileOpen, app, earlierOperationIds, {
      ...DEFAULT_REDACTION,
      ...options.redaction,
    })
    async function settleAndClose(): Promise<api.Finding[]> {
      const findings = await reports.settle().finally(closeAll)
      return findings
    }
    let closing: Promise<api.Finding[]> | null = null
    const close = (): Promise<api.Finding[]> => {
      rules.close()
      return (closing ??= settleAndClose())
    }
    const override: api.Panel['override'] = (...override) => rules.add(...override)
    return {
      url: url ?? '',
      host,
      close,
      held,
      hold,
      override,
      changes,
      ...reports,
      async [Symbol.asyncDispose]() {
        await close()
      },
    }
  } catch (error) {
    await closeAll().catch(() => undefined)
    throw error
  }
}

/** Without a data directory of the test's own, nothing is stored. */
function startServices(
  { baseUrl, token }: api.Host,
  overrides: OverrideList,
  { dataDir, takePicture }: api.PanelOptions,
  folder: string,
): Promise<App> {
  const flags = [`--base-url=${baseUrl}`, `--data-dir=${dataDir ?? path.join(folder, 'data')}`]
  return composeApp(parseConfig(flags, { BRIDGE_TOKEN: token }), {
    mode: 'browser',
    chooseFile: null,
    chooseFolder: null,
    cipher: null,
    demoWorker: new URL(workers.demo, root),
    trafficWorker: new URL(workers.traffic, root),
    snapshotWorker: new URL(workers.snapshots, root),
    sourceMapWorker: new URL(workers.sourceMaps, root),
    openExternal: () => Promise.resolve(false),
    panelProcess: null,
    resources: new URL('resources/', root),
    runtime: { node: process.versions.node },
    version,
    env: {},
    takePanelPicture: takePicture,
    isVisit: dataDir === undefined,
    keepsTraffic: true,
    isEmbedded: true,
    overrides,
  })
}

/** @throws the reason why there is no connection */
async function connect(call: IpcCallFunction, canWrite: boolean): Promise<void> {
  const { phase, error, profile } = await call('connection.retry', {})
  if (phase !== 'online') throw error ? fromWireError(error) : new Error(`The connection to the host is ${phase}.`)
  if (canWrite && profile) await call('operations.unlock', { profileId: profile.id, scope: 'session' })
}

function toPanelSource(panel: api.PanelOptions['panel'], folder: string): PanelSource {
  if (panel === undefined) {
    const page = path.join(folder, 'page')
    mkdirSync(page)
    writeFileSync(path.join(page, 'index.html'), '<!doctype html><title>Test</title>')
    return { kind: 'folder', path: page }
  }
  const text = String(panel)
  if (/^https?:/.test(text)) return { kind: 'server', url: text }
  return { kind: 'folder', path: toFilePath(text) }
}

async function listOperations(call: IpcCallFunction): Promise<api.Operation[]> {
  return (await call('operations.list', { offset: 0, limit: 1_000 })).items
}

const toCall = ({ frames, loader, onlyOutside: _, ...call }: PanelCall): api.PanelCall => ({
  ...call,
  initiator: findInitiatorPlace({ frames, loader }),
})

/** A data directory may also hold what earlier runs stored, which the reports leave out. */
function createReports(
  call: IpcCallFunction,
  { endCallers, panel }: App,
  earlierOperationIds: ReadonlySet<string>,
  redaction: RedactionPolicy,
): Omit<api.Panel, 'url' | 'host' | 'held' | 'hold' | 'override' | 'changes' | 'close' | typeof Symbol.asyncDispose> {
  const getScope = async (): Promise<FindingScope> => {
    const { caller } = await call('panel.get', {})
    return { kind: 'panel', ...(caller === null ? {} : { caller }) }
  }

  /** Leaves out the frames of packages. */
  async function readStack(exchangeId: string | undefined): Promise<api.Initiator[]> {
    const { call: panelCall } = exchangeId === undefined ? { call: null } : await call('panel.call', { exchangeId })
    const frames = panelCall?.frames?.filter(({ isLibrary }) => !isLibrary) ?? []
    return frames.flatMap((frame) => findInitiatorPlace({ frames: [frame], loader: null }) ?? [])
  }

  async function listFindings(listedClass: FindingClass): Promise<api.Finding[]> {
    // The thread of a data directory reports its findings before it replies.
    await call('traffic.info', {})
    await panel.settleInitiators()
    const scope = await getScope()
    const { findings } = await call('findings.list', { offset: 0, limit: 1_000, scope, class: listedClass })
    const seqs = [...new Set(findings.flatMap(({ exchanges }) => exchanges))]
    const ids = new Map<number, string>()
    for (let start = 0; start < seqs.length; start += MAX_ROWS_PER_CALL) {
      const { rows } = await call('traffic.rows', { seqs: seqs.slice(start, start + MAX_ROWS_PER_CALL) })
      for (const { seq, id } of rows) ids.set(seq, id)
    }
    const stacks = await Promise.all(findings.map(({ exchanges }) => readStack(ids.get(exchanges.at(-1) ?? 0))))
    return findings
      .map(describeFinding)
      .map(({ at, late = null, withdrawnAt = null, exchanges, ...finding }, index) => ({
        rule: finding.rule,
        severity: finding.severity,
        message: finding.message,
        remedy: finding.remedy,
        resource: finding.resource,
        count: finding.count,
        params: finding.params,
        exchanges: exchanges.flatMap((seq) => ids.get(seq) ?? []),
        initiator: finding.initiator,
        stack: stacks[index] ?? [],
        decidedAt: at,
        late,
        withdrawnAt,
      }))
  }

  return {
    async calls() {
      await panel.settleInitiators()
      const { bytes } = await call('traffic.find', {
        filter: { origins: ['panel'], thisRun: true },
        sort: { by: 'time', descending: false },
      })
      const seqs = [...new Uint32Array(bytes)]
      const calls: api.PanelCall[] = []
      for (let start = 0; start < seqs.length; start += MAX_ROWS_PER_CALL) {
        const { rows } = await call('traffic.rows', { seqs: seqs.slice(start, start + MAX_ROWS_PER_CALL) })
        for (const { id } of rows) {
          const panelCall = await call('panel.call', { exchangeId: id })
          if (panelCall.call) calls.push(toCall(panelCall.call))
        }
      }
      return calls
    },
    findings: () => listFindings('findings'),
    advice: () => listFindings('advice'),
    withdrawn: () => listFindings('withdrawn'),
    async settle(options = {}) {
      checkOptions('settle', options)
      await endCallers(await getScope(), options)
      return listFindings('findings')
    },
    async operations() {
      const operations = await listOperations(call)
      return operations.filter(({ id }) => !earlierOperationIds.has(id))
    },
    async console() {
      const { notes } = await call('panel.notes', { after: 0 })
      return notes.flatMap(({ kind, ...note }) => (kind === 'click' ? [] : [{ ...note, kind }]))
    },
    async coverage() {
      // The thread of a data directory has stored all calls before it replies.
      await call('traffic.info', {})
      const { caller, allow } = await call('panel.get', {})
      const counter = new CoverageCounter()
      for (let after = 0, isWhole = false; !isWhole;) {
        const part = await call('traffic.coverage', { after })
        counter.merge(part.routes.filter(({ client }) => client.kind === 'panel' && client.caller === caller))
        after = part.lastSeq
        isWhole = part.isWhole
      }
      return measureCoverage(counter.list(), allow.from === 'nowhere' ? null : allow.host)
    },
    async saveRecording(target) {
      const filter: TrafficFilter = { origins: ['panel'], thisRun: true }
      const { bytes } = await call('traffic.find', { filter, sort: { by: 'time', descending: false } })
      if (bytes.byteLength === 0) return false
      const { entry } = await call('recordings.save', {
        selection: { kind: 'filter', filter },
        redaction,
        jobId: 'testing',
        name: 'panel',
        steps: '',
      })
      if (entry === null) return false
      await copyFile(entry.file, toFilePath(target))
      await call('recordings.forget', { id: entry.id, removesFile: true })
      return true
    },
    async waiting() {
      const { asks } = await call('panel.get', {})
      return asks.map(({ id, prepared: { method, path: requestPath, body } }) => ({
        id,
        method,
        body,
        path: requestPath,
      }))
    },
    async decide(id, decision) {
      await call('panel.decide', { id, send: decision === 'send' })
    },
  }
}
