import { defineStore } from 'pinia'
import { shallowReactive } from 'vue'
import type { LabProbe, LabRun } from '../../../shared/ipc/lab.ts'
import { useConnection } from '../../stores/connection.ts'

interface Target {
  readonly noteid: string | null
  readonly topicid: string | null
}

/** What became of each probe, for as long as the page lives: who goes to look at a record finds them again. By host and target. */
export const useLabRuns = defineStore('lab', () => {
  const connection = useConnection()
  const runs = shallowReactive(new Map<string, LabRun>())
  const keyOf = (probe: LabProbe, { noteid, topicid }: Target): string =>
    JSON.stringify([connection.state.profile?.id, connection.epoch, probe, noteid, topicid])

  return {
    runOf: (probe: LabProbe, target: Target): LabRun | null => runs.get(keyOf(probe, target)) ?? null,
    keep(probe: LabProbe, target: Target, run: LabRun | null): void {
      if (run === null) runs.delete(keyOf(probe, target))
      else runs.set(keyOf(probe, target), run)
    },
  }
})
