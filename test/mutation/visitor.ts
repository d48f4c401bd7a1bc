import { readFileSync, statSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Browser } from '@playwright/test'
import { startDemoHost, type DemoHost } from '../../electron/demo-host/server.ts'
import { runBrowser } from '../e2e/run-app.ts'
import { changeSettings, leave, look, reconnect, visit, type PageState } from './in-page.ts'
import { startProxy, type Mutation, type Served } from './proxy.ts'
import { isShared, type Station } from './stations.ts'
import { watchPage } from './watch.ts'

/** One visit to a station: the state of the page and the responses of the host. */
export interface StationVisit extends PageState {
  readonly served: readonly Served[]
  /** Whether the page could leave for another place afterwards. */
  readonly hasLeft: boolean
  /** What the service process logged as an error, or that it ended. */
  readonly serviceErrors: readonly string[]
}

/** A program with its own host and page, which visits stations one after the other. */
export interface Visitor {
  readonly host: DemoHost
  /**
   * Visits a station. With `patient` the page gets more time, and is captured again until the
   * predicate holds, because a busy machine renders late.
   */
  visit(station: Station, mutation: Mutation | null, patient?: (now: StationVisit) => boolean): Promise<StationVisit>
  /** Reloads the page. */
  reload(): Promise<void>
  close(): Promise<void>
}

const QUIET_MS = 30
/** How long, and how often, to wait for something missing. */
const PATIENT_MS = 300
const MAX_RECAPTURES = 4
const TIMEOUT_MS = 20_000
const viewport = { width: 1200, height: 900 }
/**
 * Taller while something is changed: the report about it must not push what was there out of view.
 */
const changed = { width: 1200, height: 1_250 }

/**
 * Starts a demo host, the proxy in front of it, and the program, whose page opens in this browser.
 */
export async function startVisitor(browser: Browser): Promise<Visitor> {
  const host = await startDemoHost({ nodes: 60 })
  const proxy = await startProxy(host.port)
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-mutation-'))
  const tokenFile = path.join(dataDir, 'token')
  writeFileSync(tokenFile, host.token, { mode: 0o600 })
  const log = path.join(dataDir, 'data', 'bridge-inspector.log')
  const flags = ['--base-url', proxy.baseUrl, '--token-file', tokenFile, '--data-dir', path.join(dataDir, 'data')]
  const run = await runBrowser({ flags, viewport }, browser)
  const { page } = run
  await page.addInitScript(watchPage)
  for (const [name, does] of Object.entries({ Look: look, Leave: leave, Visit: visit })) {
    await page.addInitScript({ content: `window.mutation${name} = ${does.toString()}` })
  }
  let read = 0
  let printed = 0

  let size = viewport
  async function resize(requestedSize: typeof viewport): Promise<void> {
    if (requestedSize !== size) await page.setViewportSize(requestedSize)
    size = requestedSize
  }

  async function loadPage(): Promise<void> {
    proxy.begin(null)
    await page.reload()
    await page.getByRole('status', { name: 'Connection' }).getByText('Online').waitFor()
  }

  function readServiceErrors(): string[] {
    const errors: string[] = []
    const output = run.output().slice(printed)
    printed += output.length
    if (output.trim() !== '') errors.push(`printed: ${output.slice(0, 1_000)}`)
    const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0
    if (size > read) {
      const lines = readFileSync(log).subarray(read).toString('utf8').split('\n')
      errors.push(
        ...lines.filter((line) => line.includes('"level":"error"')).map((line) => `log: ${line.slice(0, 1_000)}`),
      )
    }
    read = size
    return errors
  }

  async function reconnectPage(): Promise<void> {
    proxy.begin(null)
    await page.evaluate(reconnect)
  }

  await loadPage()
  // The heartbeat would pick up a changed status at any time: here it is covered by its own cases.
  await page.evaluate(changeSettings, { heartbeatMs: 600_000, locale: 'en' })
  readServiceErrors()

  return {
    host,
    async visit({ hash, act = null }, mutation, patient) {
      proxy.begin(mutation)
      await resize(mutation ? changed : viewport)
      const keepsResponses = mutation !== null && !isShared(mutation)
      const quietMs = patient ? PATIENT_MS : QUIET_MS
      const visitOptions = { hash, act, keepsResponses, quietMs, timeoutMs: TIMEOUT_MS, shouldLeave: !patient }
      let [now, departure] = await page.evaluate((visiting) => {
        return (Reflect.get(window, 'mutationVisit') as typeof visit)(visiting)
      }, visitOptions)
      const { served } = proxy
      const createVisit = (): StationVisit => ({ ...now, served, hasLeft: true, serviceErrors: [] })
      for (let attempt = 0; attempt < MAX_RECAPTURES && patient && !patient(createVisit()); attempt += 1) {
        await page.waitForTimeout(PATIENT_MS)
        now = { ...(await page.evaluate(look)), isSettled: now.isSettled }
      }
      departure ??= await page.evaluate(leave)
      if (!now.isOnline && act !== 'reconnect') await reconnectPage()
      return {
        ...createVisit(),
        errors: departure.errors,
        hasLeft: departure.hasArrived,
        serviceErrors: readServiceErrors(),
      }
    },
    async reload() {
      proxy.refresh()
      await reconnectPage()
      await loadPage()
    },
    async close() {
      await run.close()
      await proxy.close()
      await host.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
