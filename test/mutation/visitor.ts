import { readFileSync, statSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Browser } from '@playwright/test'
import { startDemoHost, type DemoHost } from '../../electron/demo-host/server.ts'
import { runBrowser } from '../e2e/run-app.ts'
import { changeSettings, leave, look, reconnect, visit, watchPage, type Seen } from './in-page.ts'
import { startProxy, type Mutation, type Served } from './proxy.ts'
import { isShared, type Station } from './stations.ts'

/** One visit of a station: what the page showed, and what the host's answers were. */
export interface Visited extends Seen {
  readonly served: readonly Served[]
  /** Whether another place could be gone to afterwards. */
  readonly left: boolean
  /** What the service process wrote to its log as an error, or that it ended. */
  readonly service: readonly string[]
}

/** A program of its own with its host and page: visits stations one after the other. */
export interface Visitor {
  readonly host: DemoHost
  /** With `patient` it is given more time, and looked at again until that holds: a busy machine draws late. */
  visit(station: Station, mutation: Mutation | null, patient?: (now: Visited) => boolean): Promise<Visited>
  /** Loads the page anew. */
  reload(): Promise<void>
  close(): Promise<void>
}

const QUIET_MS = 30
/** How long, and how often, something that is missing is waited for. */
const PATIENT_MS = 300
const AGAIN = 4
const TIMEOUT_MS = 6_000
const viewport = { width: 1200, height: 900 }
/** Higher while something is changed: what is said of it must not push out of sight what was there. */
const changed = { width: 1200, height: 1_250 }

/** Starts a demo host, the proxy before it, and the program, whose page is opened in this browser. */
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
  await page.addInitScript({ content: `window.mutationLook = ${look.toString()}` })
  let read = 0
  let printed = 0

  let size = viewport
  async function resize(wanted: typeof viewport): Promise<void> {
    if (size !== wanted) await page.setViewportSize(wanted)
    size = wanted
  }

  async function load(): Promise<void> {
    proxy.begin(null)
    await page.reload()
    await page.getByRole('status', { name: 'Connection' }).getByText('Online').waitFor()
  }

  function serviceErrors(): string[] {
    const found: string[] = []
    const output = run.output().slice(printed)
    printed += output.length
    if (output.trim() !== '') found.push(`printed: ${output.slice(0, 1_000)}`)
    const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0
    if (size > read) {
      const lines = readFileSync(log).subarray(read).toString('utf8').split('\n')
      found.push(
        ...lines.filter((line) => line.includes('"level":"error"')).map((line) => `log: ${line.slice(0, 1_000)}`),
      )
    }
    read = size
    return found
  }

  async function online(): Promise<void> {
    proxy.begin(null)
    await page.evaluate(reconnect)
  }

  await load()
  // The heartbeat would take a changed status at any time: here it is asked for in cases of its own.
  await page.evaluate(changeSettings, { heartbeatMs: 600_000, locale: 'en' })
  serviceErrors()

  return {
    host,
    async visit({ hash, act = null }, mutation, patient) {
      proxy.begin(mutation)
      await resize(mutation ? changed : viewport)
      const keeps = mutation !== null && !isShared(mutation)
      const quietMs = patient ? PATIENT_MS : QUIET_MS
      let now = await page.evaluate(visit, { hash, act, keeps, quietMs, timeoutMs: TIMEOUT_MS })
      const { served } = proxy
      const whole = (): Visited => ({ ...now, served, left: true, service: [] })
      for (let again = 0; again < AGAIN && patient && !patient(whole()); again += 1) {
        await page.waitForTimeout(PATIENT_MS)
        now = { ...(await page.evaluate(look)), settled: now.settled }
      }
      const gone = await page.evaluate(leave)
      // Who reconnects does so anew each time.
      if (!now.online && act !== 'reconnect') await online()
      return { ...whole(), errors: gone.errors, left: gone.arrived, service: serviceErrors() }
    },
    async reload() {
      await online()
      await load()
    },
    async close() {
      await run.close()
      await proxy.close()
      await host.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
