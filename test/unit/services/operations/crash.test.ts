import { spawn, type ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startDemoHost } from '../../../../electron/demo-host/server.ts'
import { startComposedApp } from '../../../support/program/composed-app.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'

const script = fileURLToPath(new URL('./crashing-app.ts', import.meta.url))

/**
 * Runs the program in its own process, starts a write, and kills the process at a step of that
 * write.
 */
async function killAtStep(step: 'before-journal' | 'after-journal' | 'after-send' | 'after-answer') {
  const host = await startDemoHost({ nodes: 10, ...(step === 'after-send' ? { latencyMs: 0 } : {}) })
  onTestFinished(() => host.close())
  const dir = createTempDir()
  const tokenFile = path.join(dir, 'token')
  writeFileSync(tokenFile, host.token, { mode: 0o600 })
  const card = host.state.library.sets[0]?.cards[0]
  const child: ChildProcess = spawn(
    process.execPath,
    [script, dir, host.baseUrl, tokenFile, card?.noteid ?? '', step],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  await new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const title = card?.title
  const countWrites = () => host.log.filter(({ path: requestPath }) => requestPath.endsWith('/title')).length
  const app = await startComposedApp(dir, ['--demo-nodes', '10'])
  const { items } = await app.call('operations.list', { offset: 0, limit: 10 })
  const { notices } = await app.call('app.info', {})
  return { items, codes: notices.map(({ code }) => code), title, countWrites }
}

describe('safety 43: next start after a kill in the middle of a write', () => {
  test('before the journal: has no record, and nothing was sent', async () => {
    const { items, countWrites, codes } = await killAtStep('before-journal')
    expect(items).toEqual([])
    expect(countWrites()).toBe(0)
    expect(codes).toEqual([])
  })

  test('after the journal, before sending: has a record that says that nothing was sent', async () => {
    const { items, countWrites } = await killAtStep('after-journal')
    expect(items).toMatchObject([{ state: 'not-sent', verdict: { code: 'nothing-sent' } }])
    expect(countWrites()).toBe(0)
  })

  test('after sending: has a record with an unknown outcome, and does not send again', async () => {
    const { items, countWrites, codes } = await killAtStep('after-send')
    expect(items).toMatchObject([
      { state: 'unknown-app-ended', verdict: { code: 'unknown-not-read-back' }, unseen: true },
    ])
    await expect.poll(countWrites).toBe(1)
    expect(codes).toContain('OPERATIONS_IN_FLIGHT')
  })

  test('after the response: has the response in its record', async () => {
    const { items, title } = await killAtStep('after-answer')
    expect(items).toMatchObject([{ state: 'persisted' }])
    expect(title).toBe('Crashed')
  })
})
