/** @module-tag slow */

import path from 'node:path'
import fc from 'fast-check'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { classifyRequest } from '../../../../shared/bridge/endpoints/index.ts'
import { isBindingDeviation } from '../../../../shared/contract/deviation.ts'
import { pickRunCount } from '../../../support/data/run-count.ts'
import { startAlteringHost } from '../../../support/hosts/altering-host.ts'
import { startDemo } from '../../../support/hosts/demo.ts'
import { lawfulHosts, type LawfulHost } from '../../../support/hosts/lawful-hosts.ts'
import { openPanel } from '../../../support/program/panel.ts'
import { importPanelModule, installPanelPage } from '../../../support/services/panel-page.ts'

const LAWFUL_PANEL = 'test/fixtures/lawful-panel'

type Acts = Readonly<Record<string, (demoData?: unknown) => Promise<void>>>

/** Choices of one seed, so that the sample is the same in each run. */
const SEED = 81
const hosts = fc.sample(lawfulHosts, { seed: SEED, numRuns: pickRunCount(4, 200) })

afterEach(() => void vi.unstubAllGlobals())

/** Runs a panel at the host, whose page the globals `host` and `fetch` then stand for. */
async function openLawfulPanel({ changeResponse }: LawfulHost) {
  const { host } = await startDemo({ nodes: 400, settleMs: 60 })
  onTestFinished(() => host.close())
  const baseUrl = await startAlteringHost(host, (request, response) => {
    const endpoint = classifyRequest(request.method, request.path).endpoint?.id
    return endpoint === undefined || typeof response.body !== 'object' ? null : changeResponse(endpoint, response)
  })
  const panel = await openPanel(path.resolve(LAWFUL_PANEL), baseUrl, false, host.token)
  const { composed, state } = panel
  await expect.poll(async () => (await composed.call('connection.get', {})).phase).toBe('online')
  await expect.poll(async () => (await composed.call('panel.get', {})).allow.from).not.toBe('nowhere')
  await composed.call('panel.configure', { writes: 'let-through' })
  // The name of the panel's origin is resolved by browsers only.
  vi.stubGlobal('fetch', ({ pathname, search }: URL, init?: RequestInit) =>
    panel.serveDirectly(pathname + search, init),
  )
  installPanelPage(state.url ?? '')
  return composed
}

const { styles } = (await importPanelModule(LAWFUL_PANEL, 'styles.js')) as { styles: Acts }
const styleNames = Object.keys(styles)

/** Each style of panel at one host of four. */
const runs = hosts.map((host, index) => [index + 1, styleNames[index % styleNames.length] ?? '', host] as const)

test.each(runs)(
  'safety 81: drawn host %i and a panel that %s have nothing held against them',
  { tags: 'long' },
  async (_, style, host) => {
    const composed = await openLawfulPanel(host)
    await styles[style]?.().catch((error: unknown) => {
      throw new Error(host.description, { cause: error })
    })
    await composed.app.endCallers({ kind: 'panel' }, { graceMs: 0 })
    const { findings } = await composed.call('findings.list', { offset: 0, limit: 50 })
    expect([host.description, findings]).toEqual([host.description, []])
    const { deviations } = await composed.call('contract.deviations', {})
    expect([host.description, deviations.filter(isBindingDeviation)]).toEqual([host.description, []])
    expect((await composed.call('connection.get', {})).phase).toBe('online')
    expect(composed.events.filter(({ payload }) => (payload as { phase?: string }).phase === 'offline')).toEqual([])
  },
)
