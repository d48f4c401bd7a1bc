import { spawn } from 'node:child_process'
import { takeLock } from '../../electron/services/files/lock.ts'
import { rootFlags } from '../../scripts/lib/electron.mjs'
import { root } from '../../scripts/lib/paths.mjs'
import { expect, test } from './fixtures.ts'
import { ownDisplay } from './run-app.ts'

test('services that cannot start end the app, which says why, although its page is already there', async ({
  electronPath,
}, info) => {
  const dataDir = info.outputPath('data')
  const release = takeLock(dataDir)
  const child = spawn(electronPath, [...rootFlags(), root, '--data-dir', dataDir], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...ownDisplay() },
  })
  let errors = ''
  child.stderr.on('data', (piece: Buffer) => (errors += piece.toString()))
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1)
  expect(errors).toContain(`(process ${process.pid}, `)
  release()
})
