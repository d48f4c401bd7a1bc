import { getRouteBasis, type Endpoint, type OutcomeMark, type OutcomeMarks } from '../bridge/endpoints/endpoint.ts'

const accessTexts: Readonly<Record<Endpoint['access'], string>> = {
  read: 'reads',
  write: 'writes',
  navigate: 'takes over the screen, changes no data',
  task: 'creates or discards something of the host’s own, changes no data',
}
const confirmTexts: Readonly<Record<Endpoint['confirm'], string>> = {
  body: '`confirm` in the body',
  query: '`confirm` in the query',
  none: 'runs at once',
  unknown: 'whether it needs `confirm` is not documented',
}
const undoTexts = { documented: 'one undo group per call', inferred: 'one undo group per call (inferred)' }
const dryRunTexts = {
  true: 'without `confirm` a dry run with all checks',
  described: 'without `confirm` the details are documented, but not the checks behind them',
  false: null,
}

/** Lists in Markdown what the contract says about a route beside its shapes; the source first. */
export function listRouteFacts(endpoint: Endpoint): readonly string[] {
  const { access, confirm, requiresMax, undo, navigationMember, dryRun, alternatives, limits, outcome } = endpoint
  const max =
    requiresMax === null ? 'whether it needs Max is not documented' : requiresMax ? 'needs Max' : 'does not need Max'
  const changes = access === 'read' ? [] : [confirmTexts[confirm], max, ...(undo ? [undoTexts[undo]] : [])]
  const facts = [
    `Source: ${endpoint.spec}${getRouteBasis(endpoint) === 'spec' ? '' : '; the whole route is only observed'}`,
    [accessTexts[access], ...changes].join(', '),
    navigationMember && `takes over the screen with \`${navigationMember}: true\``,
    dryRunTexts[`${dryRun}`],
    endpoint.needsApproval && 'from another device a person has to approve it, which the host waits for up to a minute',
    endpoint.auth === 'none' && 'needs no token',
    endpoint.returnsSecret && 'its response contains a secret and is not kept',
    endpoint.hasAddon && 'the host rewrites `addon` to the panel’s owner',
    ...alternatives.map((group) => `exactly one of ${group.map(toCode).join(', ')}`),
    ...limits.map(({ member, max: count }) => `at most ${count} in \`${member}\` on 0.49`),
    ...listMarks(outcome),
  ]
  return facts.filter((fact) => typeof fact === 'string')
}

const toCode = (text: string): string => `\`${text}\``

function listMarks(outcome: OutcomeMarks | null): readonly string[] {
  if (outcome === null) return []
  const headings = { success: 'done', partial: 'done in part', failure: 'not done' } as const
  return (['success', 'partial', 'failure'] as const)
    .filter((key) => outcome[key].length > 0)
    .map((key) => `${headings[key]}: ${outcome[key].map(formatMark).join(' · ')}`)
}

function formatMark({ pointer, test, onlyIfSent }: OutcomeMark): string {
  const text =
    typeof test === 'string'
      ? test
      : Object.entries(test).map(([name, expected]: [string, unknown]) => `${name} ${[expected].flat().join(', ')}`)[0]
  return `${toCode(pointer)} ${text}${onlyIfSent === undefined ? '' : ` (where ${toCode(onlyIfSent)} was sent)`}`
}
