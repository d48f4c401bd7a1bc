import { endpointById } from '../../bridge/endpoints/index.ts'
import type { Watch } from '../rule.ts'
import type { Step } from '../step.ts'

/** What one call of a panel's page shows by itself (spec §1, §4, §5). */
export function watchPanelCalls(): Watch {
  return {
    step(step, scene) {
      const { seq, via, sent, method } = step
      const path = step.path.split('?', 1)[0] ?? ''
      if (step.status === 403 && step.code === 'IN_PROCESS_NOT_ALLOWED') {
        scene.report('outside-allow-list', [seq], { method, path })
        return
      }
      if (via === 'host.api' && !isJson(step)) scene.report('binary-through-api', [seq], { method, path })
      if (sent && (sent.confirm || sent.addon)) {
        const members = [...(sent.confirm ? ['confirm'] : []), ...(sent.addon ? ['addon'] : [])].join(', ')
        scene.report('confirm-or-addon-sent', [seq], { members })
      }
    },
  }
}

/** Whether its answer is JSON, as far as the table knows; the files of a bundle are listed in JSON, and read as bytes. */
function isJson({ endpoint, query }: Step): boolean {
  const row = endpoint === null ? undefined : endpointById(endpoint)
  if (!row || row.response.kind === 'json') return true
  return row.id === 'bundles.files' && !query.has('path')
}
