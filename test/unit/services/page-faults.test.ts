import { expect, test } from 'vitest'
import { createLog, createPageFaultLogger } from '../../../electron/services/files/log.ts'
import { Redactor } from '../../../electron/services/redactor.ts'
import type { PageFault } from '../../../shared/ipc/app.ts'

const fault: PageFault = { kind: 'script', message: 'oops', stack: '', where: 'library' }

test('faults of pages are logged, at most twenty per minute, and the rest is counted', () => {
  const lines: string[] = []
  let currentTime = 0
  const report = createPageFaultLogger(
    createLog((line) => lines.push(line), new Redactor()),
    () => currentTime,
  )
  for (let n = 0; n < 50; n += 1) report({ ...fault, message: `oops ${n}` })
  expect(lines).toHaveLength(20)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'error',
    kind: 'script',
    where: 'library',
    reason: 'oops 0',
  })
  currentTime = 60_000
  report({ ...fault, stack: 'Error: later\n at x' })
  expect(lines).toHaveLength(22)
  expect(JSON.parse(lines[20] ?? '')).toMatchObject({ level: 'warn', count: 30 })
  expect(JSON.parse(lines[21] ?? '')).toMatchObject({ reason: 'Error: later\n at x' })
})

test('safety 2: a token in a fault is not in the log', () => {
  const token = 'mnb0.Zx7+Qe/9vKc2~hW4_tB8-rY1.pL6sD3fG5'
  const lines: string[] = []
  const redactor = new Redactor()
  redactor.register(token)
  createPageFaultLogger(createLog((line) => lines.push(line), redactor))({
    ...fault,
    message: token,
    stack: `at ${token}`,
    where: token,
  })
  expect(lines).toHaveLength(1)
  expect(lines[0]).not.toContain(token)
})
