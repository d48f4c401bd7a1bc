/* eslint-disable vue/one-component-per-file, vue/require-default-prop -- they are a few lines each */
// Takes the place of naive-ui in the page of a recording (scripts/build/recording-page.config.ts):
// the few widgets that the shared components use, as plain elements. Its styles are in page.css.

import { defineComponent, h, inject, provide, useTemplateRef, type VNode } from 'vue'

export const NButton = defineComponent({
  props: { disabled: Boolean, quaternary: Boolean, size: { type: String, default: 'medium' }, type: String },
  setup(props, { slots }) {
    return (): VNode =>
      h(
        'button',
        {
          type: 'button',
          disabled: props.disabled,
          class: ['native-button', { quiet: props.quaternary, primary: props.type === 'primary' }, props.size],
        },
        slots['default']?.(),
      )
  },
})

export const NInput = defineComponent({
  props: { value: { type: String, default: '' }, placeholder: String, maxlength: Number, inputProps: Object },
  emits: ['update:value'],
  setup(props, { slots, emit, expose }) {
    const field = useTemplateRef<HTMLInputElement>('field')
    expose({ focus: () => field.value?.focus(), select: () => field.value?.select() })
    return (): VNode =>
      h('span', { class: 'native-input' }, [
        slots['prefix']?.(),
        h('input', {
          ...props.inputProps,
          ref: 'field',
          value: props.value,
          placeholder: props.placeholder,
          maxlength: props.maxlength,
          onInput: (event: Event) => emit('update:value', (event.target as HTMLInputElement).value),
        }),
        slots['suffix']?.(),
      ])
  },
})

interface RadioGroup {
  readonly name: () => string
  readonly selected: () => unknown
  select(value: unknown): void
}
const GROUP_KEY = 'native radio group'

export const NRadioGroup = defineComponent({
  props: { value: { type: [String, Number], default: '' }, name: { type: String, default: '' } },
  emits: ['update:value'],
  setup(props, { slots, emit }) {
    provide<RadioGroup>(GROUP_KEY, {
      name: () => props.name,
      selected: () => props.value,
      select: (value) => emit('update:value', value),
    })
    return (): VNode => h('div', slots['default']?.())
  },
})

export const NRadioButton = defineComponent({
  props: { value: { type: [String, Number], default: '' }, disabled: Boolean },
  setup(props, { slots }) {
    const group = inject<RadioGroup>(GROUP_KEY)
    return (): VNode =>
      h('label', { class: 'native-radio' }, [
        h('input', {
          type: 'radio',
          name: group?.name(),
          checked: group?.selected() === props.value,
          disabled: props.disabled,
          onChange: () => group?.select(props.value),
        }),
        h('span', slots['default']?.()),
      ])
  },
})

export const NAlert = defineComponent({
  setup(_, { slots }) {
    return (): VNode =>
      h('div', { role: 'alert', class: 'native-alert' }, [h('strong', slots['header']?.()), slots['default']?.()])
  },
})

export const NEmpty = defineComponent({
  setup(_, { slots }) {
    return (): VNode => h('div', { class: 'native-empty muted' }, [slots['default']?.(), slots['extra']?.()])
  },
})

/** Only menus at a point of the window use it. */
export const NPopover = defineComponent({
  props: { x: { type: Number, default: 0 }, y: { type: Number, default: 0 } },
  setup(props, { slots }) {
    return (): VNode =>
      h(
        'div',
        { class: 'native-popover', style: { left: `min(${props.x}px, 100vw - 260px)`, top: `${props.y}px` } },
        slots['default']?.(),
      )
  },
})

export const NProgress = defineComponent({
  setup() {
    return (): VNode => h('div', { role: 'progressbar', class: 'native-progress' })
  },
})

export const NCheckbox = defineComponent({
  props: { checked: Boolean },
  emits: ['update:checked'],
  setup(props, { slots, emit }) {
    return (): VNode =>
      h('label', [
        h('input', {
          type: 'checkbox',
          checked: props.checked,
          onChange: (event: Event) => emit('update:checked', (event.target as HTMLInputElement).checked),
        }),
        slots['default']?.(),
      ])
  },
})

export const NInputNumber = defineComponent({
  props: { value: { type: Number, default: null }, min: Number, max: Number, inputProps: Object },
  emits: ['update:value'],
  setup(props, { emit }) {
    return (): VNode =>
      h('input', {
        ...props.inputProps,
        type: 'number',
        class: 'native-number',
        value: props.value,
        min: props.min,
        max: props.max,
        onChange: (event: Event) => emit('update:value', (event.target as HTMLInputElement).valueAsNumber || null),
      })
  },
})
