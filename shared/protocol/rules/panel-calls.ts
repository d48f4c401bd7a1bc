import { endpointById } from '../../bridge/endpoints/index.ts'
import { isWrite, type Step } from '../step.ts'
import type { Scene, Watch } from '../rule.ts'

/** What a page sent and may not, where it is known with the exchange. */
export function watchPanelCalls(): Watch {
  return { step: judgePage }
}

/** What a page did that its exchange does not show (spec §1, §4, §5.6). */
export function judgePage(step: Step, scene: Scene): void {
  const { seq, via, sent, method } = step
  // What the host's panel wall refused was read by nobody.
  if (step.code === 'IN_PROCESS_NOT_ALLOWED') return
  if (via === 'host.api' && !isJson(step)) scene.report('binary-through-api', [seq], { method, path: bareOf(step) })
  if (sent && isWrite(step) && (sent.confirm || sent.addon)) {
    const members = [...(sent.confirm ? ['confirm'] : []), ...(sent.addon ? ['addon'] : [])].join(', ')
    scene.report('confirm-or-addon-sent', [seq], { members })
  }
}

const bareOf = ({ path }: Step): string => path.split('?', 1)[0] ?? ''

/** Whether its answer is JSON, as far as the table knows; the files of a bundle are listed in JSON, and read as bytes. */
function isJson({ endpoint, query }: Step): boolean {
  const row = endpoint === null ? undefined : endpointById(endpoint)
  if (!row || row.response.kind === 'json') return true
  return row.id === 'bundles.files' && !query.has('path')
}
