import { z } from 'zod'
import type { Endpoint } from '../bridge/endpoints/endpoint.ts'
import { findEndpoint } from '../bridge/endpoints/index.ts'
import { member } from '../json/object.ts'
import { entryIn, quoteAt, quoteOf, quoteSchema, routeIn, withoutRoutes, type Found } from './host-quotes.ts'
import type { AllowedRoute, AllowList } from './panel.ts'

/** Codes of what is said about a caller (`callers.reason.<code>`). */
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
  /** What it means for the call. */
  effect: z.enum(['allows', 'refuses', 'demands', 'tells', 'open']),
  params: z.record(z.string(), z.string()),
  /** Null if the host does not say. */
  quote: quoteSchema.nullable(),
  /** Part of the contract that says it; null if none does. */
  spec: z.string().nullable(),
})
export type CallerReason = z.infer<typeof callerReasonSchema>

const callerSchema = z.strictObject({ may: z.enum(['yes', 'no', 'unknown']), reasons: z.array(callerReasonSchema) })

/** Who may call a method and path, and why. */
export const callersSchema = z.strictObject({
  method: z.string(),
  path: z.string(),
  /** Id of the row; null if the contract has none. */
  endpoint: z.string().nullable(),
  panel: callerSchema,
  tool: callerSchema,
})
export type Callers = z.infer<typeof callersSchema>

/** Answers of the host as far as they were read; null where they were not. */
export interface HostSaid {
  readonly capabilities: unknown
  readonly template: unknown
  readonly uiState: unknown
}

/** How the gate of a panel judges the call. */
export interface PanelJudged {
  readonly allow: Pick<AllowList, 'mode' | 'from'>
  /** The entry of the list that names the call; null if none does. */
  readonly named: AllowedRoute | null
  /** It is written in a way in which no panel's call is passed on. */
  readonly strange: boolean
  /** What is written into `addon`. */
  readonly plugin: string | null
}

/** What a panel would get, and what an external tool would, before anything is sent (spec §4, §5). Never throws, whatever the host said. */
export function callersOf(method: string, path: string, said: HostSaid, judged: PanelJudged): Callers {
  const { endpoint } = findEndpoint(method, path)
  const route = routeIn(said.capabilities, method, path, endpoint)
  const panel = ofPanel(endpoint, route, said, judged)
  const tool = ofTool(endpoint, route, said)
  return { method, path, endpoint: endpoint?.id ?? null, panel, tool }
}

const judge = (reasons: CallerReason[]): z.infer<typeof callerSchema> => ({
  may: reasons.some(({ effect }) => effect === 'refuses')
    ? 'no'
    : reasons.some(({ effect }) => effect === 'open')
      ? 'unknown'
      : 'yes',
  reasons,
})

function reason(
  code: CallerReason['code'],
  effect: CallerReason['effect'],
  more: Partial<Pick<CallerReason, 'params' | 'quote' | 'spec'>> = {},
): CallerReason {
  return { code, effect, params: {}, quote: null, spec: null, ...more }
}

function ofPanel(row: Endpoint | null, route: Found | null, said: HostSaid, judged: PanelJudged) {
  const writes = row !== null && row.access !== 'read'
  const needs = (row?.requiresMax ?? false) || member(route?.value, 'requiresMax') === true || row?.approval === true
  return judge([
    listReason(row, route, said, judged),
    pluginReason(said.template),
    immersiveReason(said.uiState),
    reason('panel-no-token', 'tells', { spec: 'spec §5.1' }),
    ...(needs ? [reason('max-not-for-panels', 'tells', { spec: 'spec §5.5' })] : []),
    ...(writes && (row.confirm === 'body' || row.confirm === 'query')
      ? [reason('confirm-filled', 'tells', { spec: 'spec §4, §5.6' })]
      : []),
    ...(row?.addon ? [addonReason(said.template, judged.plugin)] : []),
  ])
}

function listReason(
  row: Endpoint | null,
  route: Found | null,
  said: HostSaid,
  { allow, named, strange }: PanelJudged,
): CallerReason {
  const spec = 'spec §5.3, §5.4'
  if (strange) return reason('path-strange', 'refuses', { spec })
  if (allow.mode === 'all') return reason('mode-all', 'allows')
  const line = named === null ? '' : `${named.method} ${named.path}`
  if (allow.mode === 'mine')
    return reason(named ? 'mine-names' : 'mine-lacks', named ? 'allows' : 'refuses', { params: { line } })
  if (allow.from === 'nowhere') return reason('list-nowhere', 'open', { spec })
  const from = allow.from === 'template' ? 'template' : 'capabilities'
  if (allow.from === 'capabilities-routes') {
    if (!named && route && row?.pairs) return reason('routes-pair', 'refuses', { quote: quoteOf(from, route), spec })
    return named
      ? reason('routes-name', 'allows', { params: { line }, quote: route && quoteOf(from, route), spec })
      : reason('routes-lack', 'refuses', { quote: quoteAt('capabilities', said.capabilities, ['routes']), spec })
  }
  const found = named && entryIn(from === 'template' ? said.template : withoutRoutes(said.capabilities), named)
  const flag = named && route ? { ...route } : null
  return named
    ? reason('panel-list-names', 'allows', { params: { line }, quote: quoteOf(from, found ?? flag), spec })
    : reason('panel-list-lacks', 'refuses', { spec })
}

function pluginReason(template: unknown): CallerReason {
  const spec = 'spec §5.3'
  const plugins = member(template, 'plugins')
  if (!Array.isArray(plugins)) return reason('plugins-unsaid', 'tells', { spec })
  if (plugins.length === 0) {
    return reason('plugins-none', 'refuses', { quote: quoteAt('template', template, ['plugins']), spec })
  }
  return reason('plugin-named', 'tells', {
    params: { n: String(plugins.length) },
    quote: quoteAt('template', template, ['plugins', 0, 'id']) ?? quoteAt('template', template, ['plugins', 0]),
    spec,
  })
}

function immersiveReason(uiState: unknown): CallerReason {
  const quote = quoteAt('ui-state', uiState, ['state', 'immersive'])
  return reason(quote ? 'immersive-said' : 'immersive-unsaid', 'tells', { quote, spec: 'spec §5.3' })
}

function addonReason(template: unknown, id: string | null): CallerReason {
  const spec = 'spec §4, §5.6'
  if (id === null) return reason('addon-without-id', 'tells', { spec })
  const plugins = member(template, 'plugins')
  const at = Array.isArray(plugins) ? plugins.findIndex((one) => member(one, 'id') === id) : -1
  return reason('addon-rewritten', 'tells', {
    params: { id },
    quote: at < 0 ? null : quoteAt('template', template, ['plugins', at, 'id']),
    spec,
  })
}

function ofTool(row: Endpoint | null, route: Found | null, { capabilities }: HostSaid) {
  const routes = member(capabilities, 'routes')
  const listed = !Array.isArray(routes)
    ? reason('tool-unread', 'open', { spec: 'spec §1' })
    : route
      ? reason('tool-listed', 'allows', { quote: quoteOf('capabilities', route), spec: 'spec §1' })
      : reason('tool-unlisted', 'open', { spec: 'spec §1' })
  const writes = row !== null && row.access !== 'read'
  return judge([
    listed,
    tokenReason(row, capabilities),
    maxReason(row, route, capabilities),
    ...(row?.approval ? [reason('tool-approval', 'demands', { spec: row.spec })] : []),
    ...(writes && (row.confirm === 'body' || row.confirm === 'query')
      ? [reason('tool-confirm', 'demands', { params: { where: row.confirm }, spec: 'spec §4' })]
      : []),
    ...(row?.addon ? [reason('tool-addon', 'tells', { spec: 'spec §4' })] : []),
  ])
}

function tokenReason(row: Endpoint | null, capabilities: unknown): CallerReason {
  if (row?.auth === 'none') return reason('tool-no-token', 'tells', { spec: row.spec })
  const quote = quoteAt('capabilities', capabilities, ['accessPolicy', 'userDataStillRequiresBearerToken'])
  return reason('tool-token', 'demands', { quote, spec: 'spec §5.2' })
}

function maxReason(row: Endpoint | null, route: Found | null, capabilities: unknown): CallerReason {
  const spec = 'spec §5.5'
  const own = member(route?.value, 'requiresMax')
  if (route && typeof own === 'boolean') {
    const quote = quoteAt('capabilities', capabilities, [...route.trail, 'requiresMax'])
    return reason(own ? 'tool-max' : 'tool-no-max', own ? 'demands' : 'tells', { quote, spec })
  }
  const policy = ['accessPolicy', row === null || row.access === 'read' ? 'readOnlyRequiresMax' : 'writeRequiresMax']
  const general = quoteAt('capabilities', capabilities, policy)
  if (general && row && (general.value === 'true' || general.value === 'false')) {
    const needed = general.value === 'true'
    return reason(needed ? 'tool-max' : 'tool-no-max', needed ? 'demands' : 'tells', { quote: general, spec })
  }
  if (row && row.requiresMax !== null) {
    return reason(row.requiresMax ? 'tool-max' : 'tool-no-max', row.requiresMax ? 'demands' : 'tells', {
      spec: row.spec,
    })
  }
  return reason('tool-max-unsaid', 'tells', { spec })
}
