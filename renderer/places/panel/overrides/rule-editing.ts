import { shallowRef, type ShallowRef } from 'vue'
import type { AppError } from '../../../../shared/errors.ts'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import { toAppError } from '../../../stores/errors.ts'
import { useOverrides } from '../../../stores/overrides.ts'

interface RuleEditing {
  readonly failure: ShallowRef<AppError | null>
  /** Holds the removed rule with its index; null once the removal is undone. */
  readonly lastRemoved: ShallowRef<{ readonly rule: OverrideRule; readonly index: number } | null>
  /** Resolves with whether the rules were saved. */
  saveRules(rules: readonly OverrideRule[]): Promise<boolean>
  removeRule(id: string): Promise<void>
  undoRemoval(): Promise<void>
}

/** Each change saves the whole list, and the last removal can be undone. */
export function useRuleEditing(): RuleEditing {
  const overrides = useOverrides()
  const failure = shallowRef<AppError | null>(null)
  const lastRemoved = shallowRef<RuleEditing['lastRemoved']['value']>(null)

  async function saveRules(rules: readonly OverrideRule[]): Promise<boolean> {
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
    lastRemoved,
    saveRules,
    async removeRule(id) {
      const index = overrides.rules.findIndex((candidate) => candidate.id === id)
      const rule = overrides.rules[index]
      if (rule && (await saveRules(overrides.rules.toSpliced(index, 1)))) lastRemoved.value = { rule, index: index }
    },
    async undoRemoval() {
      const removal = lastRemoved.value
      if (removal && (await saveRules(overrides.rules.toSpliced(removal.index, 0, removal.rule))))
        lastRemoved.value = null
    },
  }
}
