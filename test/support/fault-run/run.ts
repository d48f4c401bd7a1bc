import { composeApp, type App } from '../../../electron/app-composition.ts'
import { parseConfig } from '../../../electron/config.ts'
import type { FaultName } from '../../../electron/demo-host/faults.ts'
import { startDemoHost, type DemoHost } from '../../../electron/demo-host/server.ts'
import { fromWireError } from '../../../shared/errors.ts'
import type { IpcInput, MethodName, IpcOutput } from '../../../shared/ipc/index.ts'
import type { Operation, OperationSummary } from '../../../shared/ipc/operations.ts'
import { createRandom, type Random } from './random.ts'
import { buildCommand } from './commands.ts'
import { listContradictions } from './contradictions.ts'
import { findBuiltWorkers } from '../program/built-program.ts'

export interface FaultRunOptions {
  readonly dataDir: string
  readonly operations: number
  readonly seed: number
  readonly hostRestarts: number
  readonly appRestarts: number
}

export interface FaultRun {
  readonly records: number
  /** Writes the host received, and those it executed. */
  readonly received: number
  readonly executed: number
  /** Requests of every kind. */
  readonly requests: number
  readonly hostRestarts: number
  readonly appRestarts: number
  /** Requests hit by a fault, by fault. */
  readonly faults: Readonly<Record<string, number>>
  readonly states: Readonly<Record<string, number>>
  readonly verdicts: Readonly<Record<string, number>>
  readonly seconds: number
  /** Everything that went wrong. */
  readonly problems: readonly string[]
}

/** How often each fault hits a request; other requests are left alone. */
const FAULT_ODDS: readonly (readonly [FaultName, number])[] = [
  ['reset', 0.07],
  ['reset-after', 0.05],
  ['error-after', 0.04],
  ['rate-limit', 0.04],
  ['html-500', 0.04],
  ['truncated-body', 0.03],
  ['malformed-json', 0.02],
]
const MAX_CONCURRENT_COMMANDS = 8
const DOUBLE_CLICK_RATE = 0.1
const RELOAD_RATE = 0.1

/**
 * Operations against a host that resets, delays, restarts and returns 429 and 500 at random, while
 * pages are double-clicked and reloaded and the app itself is stopped and restarted; then every
 * record is checked against the host's log.
 */
export async function runFaults(options: FaultRunOptions): Promise<FaultRun> {
  const { operations, seed, dataDir } = options
  const started = performance.now()
  const luck = createRandom(seed)
  const faults: Record<string, number> = {}
  let wild = true
  const pickFault = (): FaultName | null => {
    const fault = wild ? luck.pick(FAULT_ODDS) : null
    if (fault) faults[fault] = (faults[fault] ?? 0) + 1
    return fault
  }
  const host = await startDemoHost({ nodes: Math.max(operations + 1, 100), settleMs: 150, chooseFault: pickFault })
  const program = new RestartableApp(host, dataDir)
  await program.start()
  const weather = setInterval(() => host.setLatency(luck.nextInt(15)), 100)
  const restarts = planRestarts(options)
  try {
    let next = 0
    const runWorker = async (): Promise<void> => {
      for (let n = next++; n < operations; n = next++) {
        if (restarts.host.has(n)) void host.restart(60)
        if (restarts.app.has(n)) await program.restart()
        await sendCommand(program, buildCommand(n, host, luck), luck)
      }
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT_COMMANDS }, runWorker))
    wild = false
    clearInterval(weather)
    host.setLatency(0)
    const records = await program.readFinishedRecords()
    const log = host.log
    const writes = log.filter(({ body }) => body !== null)
    return {
      records: records.length,
      received: writes.length,
      executed: writes.filter(({ isExecuted: executed }) => executed).length,
      requests: log.length,
      hostRestarts: restarts.host.size,
      appRestarts: restarts.app.size,
      faults,
      states: countByName(records.map(({ summary }) => summary.state)),
      verdicts: countByName(records.map(({ summary }) => summary.verdict.code)),
      seconds: (performance.now() - started) / 1_000,
      problems: [...listContradictions(records, log), ...program.problems],
    }
  } finally {
    clearInterval(weather)
    await program.stop()
    await host.close()
  }
}

function planRestarts({ operations, hostRestarts, appRestarts }: FaultRunOptions) {
  const spread = (times: number, shift: number): Set<number> =>
    new Set(Array.from({ length: times }, (_, n) => Math.floor(((n + shift) * operations) / times)))
  return { host: spread(hostRestarts, 0.3), app: spread(appRestarts, 0.6) }
}

/**
 * Sends one command as a user does, sometimes with a double click, sometimes closing the page
 * midway.
 */
async function sendCommand(
  program: RestartableApp,
  draft: IpcInput<'operations.prepare'>,
  luck: Random,
): Promise<void> {
  const [twice, leaves] = [luck.next() < DOUBLE_CLICK_RATE, luck.next() < RELOAD_RATE]
  if (luck.next() < 0.9) await program.waitUntilOnline()
  let prepared = await program.call('operations.prepare', draft)
  while (!prepared) {
    // While the program is down or not connected, a user waits before reviewing.
    await program.waitUntilOnline()
    prepared = await program.call('operations.prepare', draft)
  }
  const pendingSends = [program.call('operations.send', { ticket: prepared.ticket }, leaves)]
  if (twice) pendingSends.push(program.call('operations.send', { ticket: prepared.ticket }, leaves))
  const accepted = (await Promise.all(pendingSends)).filter((reply) => reply !== null)
  if (accepted.length > 1) program.problems.push(`${draft.endpoint} was sent twice by one ticket`)
}

const countByName = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries([...new Set(names)].sort().map((name) => [name, names.filter((other) => other === name).length]))

/** The whole program behind its dispatcher, which can be stopped and restarted on the same data. */
class RestartableApp {
  readonly problems: string[] = []
  readonly #host: DemoHost
  readonly #dataDir: string
  #app: App | null = null
  #starting: Promise<void> | null = null
  #calls = 0

  constructor(host: DemoHost, dataDir: string) {
    this.#host = host
    this.#dataDir = dataDir
  }

  async start(): Promise<void> {
    const flags = ['--data-dir', this.#dataDir, '--base-url', this.#host.baseUrl]
    this.#app = await composeApp(parseConfig(flags, { BRIDGE_TOKEN: this.#host.token }), {
      mode: 'browser',
      chooseFile: null,
      panelProcess: null,
      chooseFolder: null,
      resources: new URL('../../../resources/', import.meta.url),
      cipher: null,
      ...findBuiltWorkers(),
      openExternal: () => Promise.resolve(false),
      runtime: {},
      version: '0',
      env: {},
    })
    const profile = (await this.call('connection.get', {}))?.profile
    await this.call('operations.unlock', { profileId: profile?.id ?? '', scope: 'session' })
  }

  async restart(): Promise<void> {
    this.#starting ??= this.stop()
      .then(() => this.start())
      .finally(() => {
        this.#starting = null
      })
    await this.#starting
  }

  async stop(): Promise<void> {
    const app = this.#app
    this.#app = null
    await app?.dispose()
  }

  /**
   * Null for a refusal, and while the program is down. `leaves`: the page goes away during the
   * call.
   */
  async call<M extends MethodName>(method: M, input: IpcInput<M>, leaves = false): Promise<IpcOutput<M> | null> {
    const id = String((this.#calls += 1))
    const page = leaves ? `page-${id}` : 'page'
    const door = this.#app?.dispatcher
    const reply = door?.call(page, { id, method, input })
    if (leaves) setTimeout(() => door?.removeCaller(page), 2)
    const settledReply = await reply
    if (!settledReply) return null
    if (settledReply.ok) return settledReply.value as IpcOutput<M>
    const { kind } = fromWireError(settledReply.error)
    if (kind === 'internal') this.problems.push(`${method}: ${settledReply.error.message}`)
    return null
  }

  async waitUntilOnline(): Promise<void> {
    await waitUntil(async () => (await this.call('connection.get', {}))?.phase === 'online')
  }

  /** Every record, once none is being waited for. */
  async readFinishedRecords(): Promise<Operation[]> {
    await this.waitUntilOnline()
    await waitUntil(async () => (await this.call('operations.list', { offset: 0, limit: 1 }))?.unfinished === 0)
    const records: Operation[] = []
    for (const { id } of await this.#list()) {
      const record = await this.call('operations.get', { id })
      if (record) records.push(record)
    }
    return records
  }

  async #list(): Promise<OperationSummary[]> {
    const all: OperationSummary[] = []
    for (let offset = 0; ; offset += 1_000) {
      const page = await this.call('operations.list', { offset, limit: 1_000 })
      all.push(...(page?.items ?? []))
      if (!page || all.length >= page.total) return all
    }
  }
}

async function waitUntil(done: () => Promise<boolean>): Promise<void> {
  const patience = Date.now() + 60_000
  while (!(await done())) {
    if (Date.now() > patience) throw new Error('the run does not come to its end')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
