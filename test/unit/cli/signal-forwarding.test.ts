/** @module-tag slow */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { forwardSignals } from '../../../cli/base/signal-forwarding.ts'

async function endProgram(script: string): Promise<unknown[]> {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  forwardSignals(child)
  const exited = once(child, 'exit')
  await once(child.stdout, 'data')
  process.emit('SIGTERM', 'SIGTERM')
  return exited
}

test('safety 76: a signal reaches the program, and ends one that is too busy to hear it', async () => {
  const count = process.listenerCount('SIGTERM')
  const onSignal = "process.on('SIGTERM', () => process.exit(7)); require('fs').writeSync(1, 'ready');"
  expect(await endProgram(`${onSignal} setInterval(() => {}, 1000)`)).toEqual([7, null])
  expect(await endProgram(`${onSignal} for (;;);`)).toEqual([null, 'SIGKILL'])
  expect(process.listenerCount('SIGTERM')).toBe(count)
})
