/** Styles that vueuc mounts past naive-ui's style target; `widgets.css` contains their rules. */
const vueucStyleIds = ['vueuc/virtual-list', 'vueuc/overflow', 'vueuc/binder', 'vueuc/x-scroll']

/**
 * Where naive-ui mounts its styles. The page's policy forbids inline style elements, so each
 * becomes a constructed style sheet; the element stays here only because css-render looks for it.
 * All go into the layer `widgets`, so that our own unlayered styles win whatever their specificity.
 */
class StyleTarget extends DocumentFragment {
  override insertBefore<T extends Node>(node: T, before: Node | null): T {
    // css-render puts later styles first: a component's own rules override those of its parts.
    document.adoptedStyleSheets.unshift(toStyleSheet(node))
    return super.insertBefore(node, before)
  }

  override appendChild<T extends Node>(node: T): T {
    document.adoptedStyleSheets.push(toStyleSheet(node))
    return super.appendChild(node)
  }
}

function toStyleSheet(node: Node): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`@layer widgets {${node.textContent ?? ''}}`)
  return sheet
}

/** The `styleMountTarget` of the page's one config provider. */
export function getStyleTarget(): DocumentFragment {
  for (const id of vueucStyleIds) {
    // css-render looks for a `style` element with this id; it finds one of another namespace, which
    // is no style sheet.
    const placeholder = document.createElementNS('urn:mounted', 'style')
    placeholder.setAttribute('cssr-id', id)
    document.head.append(placeholder)
  }
  return new StyleTarget()
}
