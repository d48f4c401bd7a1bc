import { isBinding } from '../../../../shared/bridge/basis.ts'
import { getRouteBasis } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { findEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { isWrite, type ObservedExchange } from '../observed-exchange.ts'
import type { RuleContext, RuleState } from '../rule-state.ts'

/** Reports members in the request of a panel's page that only the host may fill in. */
export function createPanelCallRule(): RuleState {
  return { observe: judgePanelCall }
}

/** Reports mistakes of a page that its exchange does not show (spec §1, §4, §5.6). */
function judgePanelCall(exchange: ObservedExchange, context: RuleContext): void {
  const { seq, via, sentMembers, method } = exchange
  // The host's allow list refused the call, so the host did not read the body.
  if (exchange.code === 'IN_PROCESS_NOT_ALLOWED') return
  if (via === 'host.api' && !isJson(exchange))
    context.report('binary-through-api', [seq], { method, path: getBarePath(exchange) })
  if (sentMembers && isWrite(exchange) && (sentMembers.confirm || sentMembers.addon)) {
    const members = [...(sentMembers.confirm ? ['confirm'] : []), ...(sentMembers.addon ? ['addon'] : [])].join(', ')
    context.report('confirm-or-addon-sent', [seq], { members })
  }
}

const getBarePath = ({ path }: ObservedExchange): string => path.split('?', 1)[0] ?? ''

/** False only where the contract says so: a bundle's list of files is JSON, its files are not. */
function isJson({ endpoint, query }: ObservedExchange): boolean {
  const row = endpoint === null ? undefined : findEndpointById(endpoint)
  if (!row || row.response.kind === 'json' || !isBinding(getRouteBasis(row))) return true
  return row.id === 'bundles.files' && !query.has('path')
}
