import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Frame, Page } from '@playwright/test'
import { startPanel } from 'bridge-inspector/testing'
import { root } from '../../scripts/lib/paths.mjs'
import {
  buildSpoiledPath,
  listWrites,
  spoilings,
  startSpoilingHost,
  type Spoiling,
} from '../support/hosts/spoiling-host.ts'
import { pickRunCount } from '../support/data/run-count.ts'
import { expect, test } from './fixtures.ts'
import { letWritesThrough, openFolder } from './panel-page.ts'
import { go, waitForConnection } from './support.ts'

const kinds = ['fetch', 'keepalive', 'xhr', 'beacon', 'form', 'worker'] as const
const names = (Object.keys(spoilings) as Spoiling[])
  .filter((name) => name !== 'stall')
  .slice(0, pickRunCount(2, Infinity))
/** A stall ends only with the time limit of a write, 75 s. */
const STALL_MS = pickRunCount(0, 80_000)
const TOKEN = `mnb0.e2e-${'secret'.repeat(4)}-0123456789`

type Kind = (typeof kinds)[number]

interface Write {
  readonly kind: Kind
  readonly path: string
}

/** Every write over connections of this state. */
const listPlannedWrites = (connection: 'first' | 'reused', plannedKinds: readonly Kind[]): Write[] =>
  names.flatMap((name) => plannedKinds.map((kind) => ({ kind, path: buildSpoiledPath(name, `${kind}-${connection}`) })))

/** Runs in the panel's page. Returns what the page sees of each write. */
async function sendWrites([writes, mode]: readonly [readonly Write[], 'first' | 'reused' | 'at-once']): Promise<
  string[]
> {
  const body = JSON.stringify({ self: 'again', practice: { topic: 'T-1' } })
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
  const toText = (promise: Promise<Response>): Promise<string> =>
    promise.then(
      ({ status }) => `status ${status}`,
      (error: unknown) => (error instanceof TypeError ? 'failed' : String(error)),
    )
  const send = async ({ kind, path: target }: Write): Promise<string> => {
    if (kind === 'fetch' || kind === 'keepalive')
      return toText(fetch(target, { method: 'POST', body, keepalive: kind === 'keepalive' }))
    if (kind === 'beacon') {
      navigator.sendBeacon(target, body)
      await wait(1_000)
      return 'failed'
    }
    if (kind === 'worker') {
      const code = `fetch('${location.origin}${target}', { method: 'POST', body: '${body}' }).then(({ status }) => postMessage('status ' + status), (error) => postMessage(error instanceof TypeError ? 'failed' : String(error)))`
      const worker = new Worker(URL.createObjectURL(new Blob([code])))
      return new Promise((resolve) => (worker.onmessage = ({ data }) => resolve(String(data))))
    }
    if (kind === 'xhr') {
      const request = new XMLHttpRequest()
      request.open('POST', target)
      return new Promise((resolve) => {
        request.onload = () => resolve(`status ${request.status}`)
        request.onerror = () => resolve('failed')
        request.send(body)
      })
    }
    // A plain form whose text is JSON.
    const frame = Object.assign(document.createElement('iframe'), { name: target })
    const form = Object.assign(document.createElement('form'), {
      method: 'post',
      enctype: 'text/plain',
      action: target,
    })
    form.target = target
    const [name = '', value = ''] = [`${body.slice(0, -1)},"form":"`, '"}']
    form.append(Object.assign(document.createElement('input'), { name, value }))
    document.body.append(frame, form)
    form.submit()
    // The page cannot look into the browser's own page about a failure.
    for (;;) {
      await wait(50)
      if (frame.contentDocument === null) return 'failed'
      if (frame.contentDocument.URL.endsWith(target)) return 'a document'
    }
  }
  const results: string[] = []
  // Connections that are ready for the next request.
  const openConnections = (): Promise<unknown> =>
    Promise.all([1, 2, 3, 4].map(() => fetch('/bridge/v1/ui-state').then((response) => response.text())))
  if (mode === 'at-once') {
    await openConnections()
    return Promise.all(writes.map(send))
  }
  for (const write of writes) {
    if (mode === 'reused') await openConnections()
    results.push(await send(write))
  }
  return results
}

/** The time after which a listener closes an idle connection, and a little more. */
const IDLE_MS = 6_500

async function expectEachWriteOnce(page: Frame | Page, host: Awaited<ReturnType<typeof startSpoilingHost>>) {
  // Chromium sends beacons only over HTTP, and the desktop app's panels have a scheme of their own.
  const plannedKinds = kinds.filter((kind) => kind !== 'beacon' || page.url().startsWith('http:'))
  const [first, reused] = [listPlannedWrites('first', plannedKinds), listPlannedWrites('reused', plannedKinds)]
  await page.waitForTimeout(IDLE_MS)
  const results = await page.evaluate(sendWrites, [first, 'first'] as const)
  expect(results).toEqual(first.map(() => 'failed'))
  expect(await page.evaluate(sendWrites, [reused, 'reused'] as const)).toEqual(reused.map(() => 'failed'))
  const stalled: Write[] =
    STALL_MS === 0 ? [] : plannedKinds.map((kind) => ({ kind, path: buildSpoiledPath('stall', kind) }))
  if (stalled.length > 0) {
    const startedMs = performance.now()
    expect(await page.evaluate(sendWrites, [stalled, 'at-once'] as const)).toEqual(stalled.map(() => 'failed'))
    await page.waitForTimeout(STALL_MS - (performance.now() - startedMs))
  }
  const planned = [...first, ...reused, ...stalled]
  expect(listWrites(host)).toEqual(planned.map(({ path: target }) => target).sort())
}

function createFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-once-'))
  writeFileSync(
    path.join(folder, 'index.html'),
    '<!doctype html><html lang="en"><title>Once</title><h1>Once</h1></html>',
  )
  return folder
}

test('safety 83: each write of a panel reaches the host once, however its connection ends @both @long', async ({
  app,
}) => {
  test.setTimeout(600_000)
  const host = await startSpoilingHost()
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-token-')), 'token')
  writeFileSync(file, TOKEN, { mode: 0o600 })
  const page = await app.restart(['--base-url', host.baseUrl, '--token-file', file])
  await waitForConnection(page)
  const panel = await openFolder(app, createFolder())
  await expect(panel.getByRole('heading', { name: 'Once' })).toBeVisible()
  await page.getByRole('radiogroup', { name: 'Writes' }).getByText('Let through', { exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unlock until the app exits' }).first().click()
  await letWritesThrough(app)
  await expectEachWriteOnce(panel, host)
  await go(page, '#/operations')
  await expect(page.getByRole('row').filter({ hasText: 'Unknown: no response' }).first()).toBeVisible()
  await host.close()
})

test('safety 83: the kit sends each write once @long', async ({ chromiumHere }) => {
  test.setTimeout(600_000)
  const host = await startSpoilingHost()
  const panel = await startPanel({
    panel: createFolder(),
    host: { baseUrl: host.baseUrl, token: TOKEN },
    writes: 'allow',
  })
  const page = await (await chromiumHere()).newPage()
  await page.goto(panel.url)
  await expectEachWriteOnce(page, host)
  const states = (await panel.operations()).map(({ state }) => state)
  expect(states).toEqual(states.map(() => 'unknown-no-answer'))
  await page.close()
  await panel.close()
  await host.close()
})

test('safety 83: the command panel sends each write once @long', async ({ chromiumHere }) => {
  test.setTimeout(600_000)
  const host = await startSpoilingHost()
  const flags = ['--base-url', host.baseUrl, '--writes', 'allow']
  const child = spawn(process.execPath, ['out/cli/bridge-inspector.js', 'panel', createFolder(), ...flags], {
    cwd: root,
    env: { ...process.env, BRIDGE_TOKEN: TOKEN },
  })
  let output = ''
  child.stdout.on('data', (piece: Buffer) => (output += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (output += piece.toString()))
  await expect.poll(() => output).toContain('Panel: http')
  const page = await (await chromiumHere()).newPage()
  await page.goto(/Panel: (\S+)/.exec(output)?.[1] ?? '')
  await expectEachWriteOnce(page, host)
  await page.close()
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
  await host.close()
})
