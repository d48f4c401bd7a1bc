import { shallowRef, type ShallowRef } from 'vue'
import type { AppError } from '../../../../shared/errors.ts'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import { asAppError } from '../../../stores/errors.ts'
import { useOverrides } from '../../../stores/overrides.ts'

interface RuleList {
  readonly failure: ShallowRef<AppError | null>
  /** What was removed last, and from where; null once that is settled. */
  readonly removed: ShallowRef<{ readonly rule: OverrideRule; readonly at: number } | null>
  /** Saves these rules in place of the others. Returns whether that worked. */
  change(rules: readonly OverrideRule[]): Promise<boolean>
  remove(id: string): Promise<void>
  undo(): Promise<void>
}

/** Changes of the list of rules, saved one after the other. */
export function useRuleList(): RuleList {
  const overrides = useOverrides()
  const failure = shallowRef<AppError | null>(null)
  const removed = shallowRef<RuleList['removed']['value']>(null)

  async function change(rules: readonly OverrideRule[]): Promise<boolean> {
    failure.value = null
    try {
      await overrides.save(rules)
      return true
    } catch (thrown) {
      failure.value = asAppError(thrown)
      return false
    }
  }

  return {
    failure,
    removed,
    change,
    async remove(id) {
      const at = overrides.rules.findIndex((one) => one.id === id)
      const rule = overrides.rules[at]
      if (rule && (await change(overrides.rules.toSpliced(at, 1)))) removed.value = { rule, at }
    },
    async undo() {
      const gone = removed.value
      if (gone && (await change(overrides.rules.toSpliced(gone.at, 0, gone.rule)))) removed.value = null
    },
  }
}
