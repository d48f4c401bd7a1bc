import { z } from 'zod'
import type { Endpoint } from '../bridge/endpoints/endpoint.ts'
import { classifyRequest } from '../bridge/endpoints/index.ts'
import { getMember } from '../json/object.ts'
import {
  findRouteEntry,
  quoteHostValue,
  toHostQuote,
  hostQuoteSchema,
  findCallRoute,
  omitRoutes,
  type LocatedValue,
} from './host-quotes.ts'
import type { AllowedRoute, AllowList } from './panel.ts'

/** Each code is a reason why a caller may or may not call a route (`callers.reason.<code>`). */
const callerReasons = [
  'path-strange',
  'panel-list-names',
  'panel-list-lacks',
  'routes-name',
  'routes-lack',
  'routes-pair',
  'list-nowhere',
  'mine-names',
  'mine-lacks',
  'mode-all',
  'plugin-named',
  'plugins-none',
  'plugins-unsaid',
  'immersive-said',
  'immersive-unsaid',
  'confirm-filled',
  'addon-rewritten',
  'addon-without-id',
  'panel-no-token',
  'max-not-for-panels',
  'tool-token',
  'tool-no-token',
  'tool-max',
  'tool-no-max',
  'tool-max-unsaid',
  'tool-approval',
  'tool-confirm',
  'tool-addon',
  'tool-listed',
  'tool-unlisted',
  'tool-unread',
] as const

const callerReasonSchema = z.strictObject({
  code: z.enum(callerReasons),
  effect: z.enum(['allows', 'refuses', 'demands', 'tells', 'open']),
  params: z.record(z.string(), z.string()),
  /** The value in a response of the host from which the reason follows; null if there is none. */
  quote: hostQuoteSchema.nullable(),
  /** The part of the contract from which the reason follows; null if there is none. */
  spec: z.string().nullable(),
})
export type CallerReason = z.infer<typeof callerReasonSchema>

const callerSchema = z.strictObject({ may: z.enum(['yes', 'no', 'unknown']), reasons: z.array(callerReasonSchema) })

/** Tells which callers may call a method and path, and why. */
export const callerReportSchema = z.strictObject({
  method: z.string(),
  path: z.string(),
  /** The endpoint id; null if the contract has no endpoint for this method and path. */
  endpoint: z.string().nullable(),
  panel: callerSchema,
  tool: callerSchema,
})
export type CallerReport = z.infer<typeof callerReportSchema>

/** Responses of the host; null for a response that was not read. */
export interface CallerEvidence {
  readonly capabilities: unknown
  readonly template: unknown
  readonly uiState: unknown
}

/** Facts that the panel policy knows about the call. */
export interface PanelJudgement {
  readonly allow: Pick<AllowList, 'mode' | 'from'>
  /** The first entry of the allow list that matches the call; null if none does. */
  readonly matchedRoute: AllowedRoute | null
  /** True if the path is written in a form that is never forwarded for a panel. */
  readonly isUnusualPath: boolean
  /** The plugin id that is written into `addon`. */
  readonly plugin: string | null
}

/** What a panel and an external tool would get (spec §4, §5); never throws, whatever is sent. */
export function judgeCallers(
  method: string,
  path: string,
  evidence: CallerEvidence,
  judgement: PanelJudgement,
): CallerReport {
  const { endpoint } = classifyRequest(method, path)
  const route = findCallRoute(evidence.capabilities, method, path, endpoint)
  const panel = judgePanel(endpoint, route, evidence, judgement)
  const tool = judgeTool(endpoint, route, evidence)
  return { method, path, endpoint: endpoint?.id ?? null, panel, tool }
}

const summarizeReasons = (reasons: CallerReason[]): z.infer<typeof callerSchema> => ({
  may: reasons.some(({ effect }) => effect === 'refuses')
    ? 'no'
    : reasons.some(({ effect }) => effect === 'open')
      ? 'unknown'
      : 'yes',
  reasons,
})

function createCallerReason(
  code: CallerReason['code'],
  effect: CallerReason['effect'],
  more: Partial<Pick<CallerReason, 'params' | 'quote' | 'spec'>> = {},
): CallerReason {
  return { code, effect, params: {}, quote: null, spec: null, ...more }
}

function judgePanel(
  row: Endpoint | null,
  route: LocatedValue | null,
  evidence: CallerEvidence,
  judgement: PanelJudgement,
) {
  const isWrite = row !== null && row.access !== 'read'
  const isRestrictedForTools =
    (row?.requiresMax ?? false) || getMember(route?.value, 'requiresMax') === true || row?.needsApproval === true
  return summarizeReasons([
    createListReason(row, route, evidence, judgement),
    createPluginReason(evidence.template),
    createImmersiveReason(evidence.uiState),
    createCallerReason('panel-no-token', 'tells', { spec: 'spec §5.1' }),
    ...(isRestrictedForTools ? [createCallerReason('max-not-for-panels', 'tells', { spec: 'spec §5.5' })] : []),
    ...(isWrite && (row.confirm === 'body' || row.confirm === 'query')
      ? [createCallerReason('confirm-filled', 'tells', { spec: 'spec §4, §5.6' })]
      : []),
    ...(row?.hasAddon ? [createAddonReason(evidence.template, judgement.plugin)] : []),
  ])
}

function createListReason(
  row: Endpoint | null,
  route: LocatedValue | null,
  evidence: CallerEvidence,
  { allow, matchedRoute, isUnusualPath }: PanelJudgement,
): CallerReason {
  const spec = 'spec §5.3, §5.4'
  if (isUnusualPath) return createCallerReason('path-strange', 'refuses', { spec })
  if (allow.mode === 'all') return createCallerReason('mode-all', 'allows')
  const routeLine = matchedRoute === null ? '' : `${matchedRoute.method} ${matchedRoute.path}`
  if (allow.mode === 'mine')
    return createCallerReason(matchedRoute ? 'mine-names' : 'mine-lacks', matchedRoute ? 'allows' : 'refuses', {
      params: { line: routeLine },
    })
  if (allow.from === 'nowhere' || allow.from === 'contract') return createCallerReason('list-nowhere', 'open', { spec })
  const from = allow.from === 'template' ? 'template' : 'capabilities'
  if (allow.from === 'capabilities-routes') {
    if (!matchedRoute && route && row?.createsProfile)
      return createCallerReason('routes-pair', 'refuses', { quote: toHostQuote(from, route), spec })
    return matchedRoute
      ? createCallerReason('routes-name', 'allows', {
          params: { line: routeLine },
          quote: route && toHostQuote(from, route),
          spec,
        })
      : createCallerReason('routes-lack', 'refuses', {
          quote: quoteHostValue('capabilities', evidence.capabilities, ['routes']),
          spec,
        })
  }
  const entry =
    matchedRoute &&
    findRouteEntry(from === 'template' ? evidence.template : omitRoutes(evidence.capabilities), matchedRoute)
  const flaggedRoute = matchedRoute && route ? { ...route } : null
  return matchedRoute
    ? createCallerReason('panel-list-names', 'allows', {
        params: { line: routeLine },
        quote: toHostQuote(from, entry ?? flaggedRoute),
        spec,
      })
    : createCallerReason('panel-list-lacks', 'refuses', { spec })
}

function createPluginReason(template: unknown): CallerReason {
  const spec = 'spec §5.3'
  const plugins = getMember(template, 'plugins')
  if (!Array.isArray(plugins)) return createCallerReason('plugins-unsaid', 'tells', { spec })
  if (plugins.length === 0) {
    return createCallerReason('plugins-none', 'refuses', {
      quote: quoteHostValue('template', template, ['plugins']),
      spec,
    })
  }
  return createCallerReason('plugin-named', 'tells', {
    params: { n: String(plugins.length) },
    quote:
      quoteHostValue('template', template, ['plugins', 0, 'id']) ??
      quoteHostValue('template', template, ['plugins', 0]),
    spec,
  })
}

function createImmersiveReason(uiState: unknown): CallerReason {
  const quote = quoteHostValue('ui-state', uiState, ['state', 'immersive'])
  return createCallerReason(quote ? 'immersive-said' : 'immersive-unsaid', 'tells', { quote, spec: 'spec §5.3' })
}

function createAddonReason(template: unknown, id: string | null): CallerReason {
  const spec = 'spec §4, §5.6'
  if (id === null) return createCallerReason('addon-without-id', 'tells', { spec })
  const plugins = getMember(template, 'plugins')
  const index = Array.isArray(plugins) ? plugins.findIndex((plugin) => getMember(plugin, 'id') === id) : -1
  return createCallerReason('addon-rewritten', 'tells', {
    params: { id },
    quote: index < 0 ? null : quoteHostValue('template', template, ['plugins', index, 'id']),
    spec,
  })
}

function judgeTool(row: Endpoint | null, route: LocatedValue | null, { capabilities }: CallerEvidence) {
  const routes = getMember(capabilities, 'routes')
  const listedReason = !Array.isArray(routes)
    ? createCallerReason('tool-unread', 'open', { spec: 'spec §1' })
    : route
      ? createCallerReason('tool-listed', 'allows', { quote: toHostQuote('capabilities', route), spec: 'spec §1' })
      : createCallerReason('tool-unlisted', 'open', { spec: 'spec §1' })
  const isWrite = row !== null && row.access !== 'read'
  return summarizeReasons([
    listedReason,
    createTokenReason(row, capabilities),
    createMaxReason(row, route, capabilities),
    ...(row?.needsApproval ? [createCallerReason('tool-approval', 'demands', { spec: row.spec })] : []),
    ...(isWrite && (row.confirm === 'body' || row.confirm === 'query')
      ? [createCallerReason('tool-confirm', 'demands', { params: { where: row.confirm }, spec: 'spec §4' })]
      : []),
    ...(row?.hasAddon ? [createCallerReason('tool-addon', 'tells', { spec: 'spec §4' })] : []),
  ])
}

function createTokenReason(row: Endpoint | null, capabilities: unknown): CallerReason {
  if (row?.auth === 'none') return createCallerReason('tool-no-token', 'tells', { spec: row.spec })
  const quote = quoteHostValue('capabilities', capabilities, ['accessPolicy', 'userDataStillRequiresBearerToken'])
  return createCallerReason('tool-token', 'demands', { quote, spec: 'spec §5.2' })
}

function createMaxReason(row: Endpoint | null, route: LocatedValue | null, capabilities: unknown): CallerReason {
  const spec = 'spec §5.5'
  const requiresMax = getMember(route?.value, 'requiresMax')
  if (route && typeof requiresMax === 'boolean') {
    const quote = quoteHostValue('capabilities', capabilities, [...route.path, 'requiresMax'])
    return createCallerReason(requiresMax ? 'tool-max' : 'tool-no-max', requiresMax ? 'demands' : 'tells', {
      quote,
      spec,
    })
  }
  const policy = ['accessPolicy', row === null || row.access === 'read' ? 'readOnlyRequiresMax' : 'writeRequiresMax']
  const policyQuote = quoteHostValue('capabilities', capabilities, policy)
  if (policyQuote && row && (policyQuote.value === 'true' || policyQuote.value === 'false')) {
    const isMaxRequired = policyQuote.value === 'true'
    return createCallerReason(isMaxRequired ? 'tool-max' : 'tool-no-max', isMaxRequired ? 'demands' : 'tells', {
      quote: policyQuote,
      spec,
    })
  }
  if (row && row.requiresMax !== null) {
    return createCallerReason(row.requiresMax ? 'tool-max' : 'tool-no-max', row.requiresMax ? 'demands' : 'tells', {
      spec: row.spec,
    })
  }
  return createCallerReason('tool-max-unsaid', 'tells', { spec })
}
