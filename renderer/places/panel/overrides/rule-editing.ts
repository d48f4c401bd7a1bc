import { shallowRef, type ShallowRef } from 'vue'
import type { AppError } from '../../../../shared/errors.ts'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import { toAppError } from '../../../stores/errors.ts'
import { useOverrides } from '../../../stores/overrides.ts'

interface RuleEditing {
  readonly failure: ShallowRef<AppError | null>
  /** What was removed last, and from where; null once that is settled. */
  readonly lastRemoved: ShallowRef<{ readonly rule: OverrideRule; readonly index: number } | null>
  /** Saves these rules in place of the others. Returns whether that worked. */
  saveRules(rules: readonly OverrideRule[]): Promise<boolean>
  removeRule(id: string): Promise<void>
  undoRemoval(): Promise<void>
}

/** Changes of the list of rules, saved one after the other. */
export function useRuleEditing(): RuleEditing {
  const overrides = useOverrides()
  const failure = shallowRef<AppError | null>(null)
  const removed = shallowRef<RuleEditing['lastRemoved']['value']>(null)

  async function change(rules: readonly OverrideRule[]): Promise<boolean> {
    failure.value = null
    try {
      await overrides.save(rules)
      return true
    } catch (thrown) {
      failure.value = toAppError(thrown)
      return false
    }
  }

  return {
    failure,
    lastRemoved: removed,
    saveRules: change,
    async removeRule(id) {
      const at = overrides.rules.findIndex((one) => one.id === id)
      const rule = overrides.rules[at]
      if (rule && (await change(overrides.rules.toSpliced(at, 1)))) removed.value = { rule, index: at }
    },
    async undoRemoval() {
      const gone = removed.value
      if (gone && (await change(overrides.rules.toSpliced(gone.index, 0, gone.rule)))) removed.value = null
    },
  }
}
