// node test/bench/breakpoints.ts: what a breakpoint that does not match costs each call, with 100
// of them. The bar is 0.05 ms a rule.
import { createBreakpoints } from '../../electron/services/breakpoints/breakpoints.ts'
import { createBus } from '../../electron/services/bus.ts'
import type { BreakpointRule } from '../../shared/panel/breakpoints.ts'

const RULES = 100
const CALLS = 20_000
const BAR_MS = 0.05

const breakpoints = createBreakpoints({
  bus: createBus(),
  holdsToken: () => false,
  recorder: { recordHold: () => () => undefined },
  checkHost: () => Promise.resolve(),
})
const rule = (index: number, match: BreakpointRule['match']): BreakpointRule => ({
  id: `rule-${index}`,
  on: true,
  match,
  at: 'both',
  isErrorOnly: false,
  waitSeconds: 60,
})
const bodyText = JSON.stringify({ noteid: 'N-1', text: 'x'.repeat(2_000) })
const call = {
  method: 'POST',
  path: '/notes/2F434250-51B5-49D9-8607-E9C650C67873/practice-verdict?topicid=T-1',
  origin: { kind: 'panel', label: 'bench', caller: 'bench', load: 1 },
  host: 'http://127.0.0.1:1/bridge/v1',
  endpoint: null,
  authHeader: null,
  isHeaderSent: () => true,
  assertPathSent: () => undefined,
  isHostConnected: () => true,
  getBody: () => JSON.parse(bodyText) as unknown,
} as const

function measure(name: string, createMatch: (index: number) => BreakpointRule['match']): void {
  breakpoints.save(Array.from({ length: RULES }, (_, index) => rule(index, createMatch(index))))
  let matches = 0
  const run = (count: number): number => {
    const startedMs = performance.now()
    for (let index = 0; index < count; index += 1)
      if (breakpoints.mayHold(call) && breakpoints.begin(call) !== null) matches += 1
    return (performance.now() - startedMs) / count / RULES
  }
  run(CALLS / 10)
  const perRule = run(CALLS / 10)
  const verdict = perRule < BAR_MS ? 'held' : 'missed'
  console.log(`${name}: ${(perRule * 1000).toFixed(2)} µs a rule and call (bar ${BAR_MS * 1000} µs, ${verdict})`)
  if (matches > 0) throw new Error('a rule matched')
}

measure('another method', () => ({ method: 'GET', path: '/notes/*' }))
measure('another path', (index) => ({ method: '*', path: `/study-sets/{topicid}/cards/${index}` }))
measure('another body', (index) => ({
  method: 'POST',
  path: '/notes/{noteid}/practice-verdict',
  body: [{ at: '/noteid', equals: `N-${index + 2}` }],
}))
breakpoints.close()
