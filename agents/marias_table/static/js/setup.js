/**
 * The form for a table: preset, every option of the rules, length, chairs, spectators. What options
 * there are, their words and limits come from the server.
 *
 * @typedef {import("./types.js").FormField} FormField
 * @typedef {import("./types.js").SetupChoice} SetupChoice
 */
import { create, openDialog } from "./deeds.js";
import { picker } from "./picker.js";
import { h } from "./dom.js";
import { nameField } from "./start.js";
import { app, redraw, remember, settings } from "./store.js";
import { capital, t } from "./words.js";

/** @returns {SetupChoice} */
function standard() {
  const agent = app.form?.default_agent ?? "rules";
  return {
    rules: "traditional",
    options: {},
    length: "single",
    deals: 6,
    points: "",
    seats: ["me", agent, agent],
    spectators: "table",
    hints: true,
  };
}

/** @returns {SetupChoice} */
function chosen() {
  return { ...standard(), ...settings.setup };
}

/**
 * @param {Partial<SetupChoice>} changed
 */
function choose(changed) {
  remember({ setup: { ...chosen(), ...changed } });
}

/**
 * The choice as the server wants it.
 * @param {SetupChoice} setup
 */
export function message(setup) {
  const { rules, options, spectators, hints } = setup;
  const match =
    setup.length === "single"
      ? null
      : setup.length === "standard"
        ? "standard"
        : { deals: setup.deals, points: setup.points ? Number(setup.points) : null };
  const seats = setup.seats.map((who) =>
    who === "me" || who === "open" ? who : { agent: who },
  );
  return { rules, options, match, seats, spectators, hints };
}

export function setupForm() {
  const form = app.form;
  if (!form) return null;
  const setup = chosen();
  const preset = form.presets.find((one) => one.name === setup.rules) ?? form.presets[0];
  const changed = Object.keys(setup.options).length;
  return h(
    "form",
    {
      class: "setup",
      key: "setup",
      onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        create(message(setup));
      },
    },
    h("h2", null, t("setup")),
    nameField(),
    h(
      "fieldset",
      { class: "presets" },
      h("legend", null, t("rules_set")),
      form.presets.map((one) =>
        h(
          "label",
          { key: one.name, class: one.name === setup.rules ? "on" : "" },
          h("input", {
            type: "radio",
            name: "rules",
            value: one.name,
            checked: one.name === setup.rules,
            onchange: () => choose({ rules: one.name, options: {} }),
          }),
          h("strong", null, one.label),
          h("small", null, one.text),
        ),
      ),
    ),
    h(
      "details",
      { class: "options", key: "options" },
      h(
        "summary",
        null,
        t("all_options"),
        changed ? ` · ${t("changed_options", changed)}` : "",
      ),
      form.fields.map((field) => optionField(field, preset.values, setup)),
    ),
    h(
      "button",
      { type: "button", class: "small-button", onclick: () => openDialog("rules") },
      t("rules_title"),
    ),
    picker(
      "length",
      t("length"),
      ["single", "standard", "deals"].map((key) => [key, t(`length_${key}`)]),
      setup.length,
      (length) => choose({ length }),
    ),
    setup.length === "deals"
      ? h(
          "div",
          { class: "row" },
          numberField(t("length_deals"), String(setup.deals), 1, 999, (value) =>
            choose({ deals: Number(value) || 1 }),
          ),
          numberField(t("length_points"), setup.points, 1, 1000000, (points) => choose({ points })),
        )
      : null,
    h(
      "fieldset",
      { class: "chairs" },
      h("legend", null, t("chairs")),
      setup.seats.map((who, seat) => chairField(who, seat, setup)),
    ),
    picker(
      "spectators",
      t("watchers"),
      ["nobody", "table", "cards"].map((key) => [key, t(`watchers_${key}`)]),
      setup.spectators,
      (spectators) => choose({ spectators }),
    ),
    h(
      "label",
      { class: "check" },
      h("input", {
        type: "checkbox",
        checked: setup.hints,
        onchange: (/** @type {any} */ event) => choose({ hints: event.target.checked }),
      }),
      t("allow_hints"),
    ),
    h(
      "div",
      { class: "row" },
      h("button", { type: "submit", class: "big", "data-tool": "create" }, h("strong", null, t("create"))),
      h(
        "button",
        {
          type: "button",
          class: "small-button",
          onclick: () => {
            app.view = "start";
            redraw();
          },
        },
        t("back"),
      ),
    ),
  );
}

/**
 * @param {string} who
 * @param {number} seat
 * @param {SetupChoice} setup
 */
function chairField(who, seat, setup) {
  const specs = (app.form?.agents ?? []).map((agent) => agent.spec);
  const known = who === "me" || who === "open" || specs.includes(who);
  /** @param {string} value */
  const put = (value) => {
    const seats = [...setup.seats];
    // There is one chair of mine: it changes places with what was chosen.
    if (value === "me") seats[seats.indexOf("me")] = who;
    else if (who === "me") {
      const other = seats.findIndex((_, index) => index !== seat);
      seats[other] = "me";
    }
    seats[seat] = value;
    choose({ seats });
  };
  return h(
    "div",
    { class: "chair", key: `chair-${seat}` },
    h(
      "label",
      { class: "field" },
      h("span", null, t("chair", seat + 1)),
      h(
        "select",
        {
          value: known ? who : "?",
          "data-chair": seat,
          onchange: (/** @type {any} */ event) =>
            put(event.target.value === "?" ? "pimc:10" : event.target.value),
        },
        h("option", { value: "me" }, t("me")),
        h("option", { value: "open" }, t("open_chair")),
        (app.form?.agents ?? []).map((agent) =>
          h("option", { value: agent.spec, key: agent.spec, title: agent.help }, `${t("agent")} ${agent.label}`),
        ),
        h("option", { value: "?" }, t("other_agent")),
      ),
    ),
    known
      ? null
      : h(
          "label",
          { class: "field" },
          h("span", null, t("agent_spec")),
          h("input", {
            type: "text",
            value: who,
            maxlength: "80",
            spellcheck: "false",
            onchange: (/** @type {any} */ event) => put(event.target.value.trim() || "rules"),
          }),
        ),
  );
}

/**
 * @param {string} label
 * @param {string} value
 * @param {number|undefined} min
 * @param {number|undefined} max
 * @param {(value: string) => void} change
 */
function numberField(label, value, min, max, change) {
  return h(
    "label",
    { class: "field" },
    h("span", null, label),
    h("input", {
      type: "number",
      inputmode: "numeric",
      min,
      max,
      value,
      onchange: (/** @type {any} */ event) => change(event.target.value),
    }),
  );
}

/**
 * One option of the rules; the value is kept only where it differs from the preset's.
 * @param {FormField} field
 * @param {Record<string, any>} values the preset's
 * @param {SetupChoice} setup
 */
function optionField(field, values, setup) {
  const standardValue = values[field.name];
  const value = field.name in setup.options ? setup.options[field.name] : standardValue;
  /** @param {any} wanted */
  const put = (wanted) => {
    const options = { ...setup.options };
    if (JSON.stringify(wanted) === JSON.stringify(standardValue)) delete options[field.name];
    else options[field.name] = wanted;
    choose({ options });
  };
  const text = h("small", null, field.help);
  const changed = field.name in setup.options ? "changed" : "";
  const props = { class: `option ${changed}`, key: field.name, "data-option": field.name };
  if (field.kind === "bool") {
    return h(
      "label",
      { ...props, class: `${props.class} check` },
      h("input", {
        type: "checkbox",
        checked: Boolean(value),
        onchange: (/** @type {any} */ event) => put(event.target.checked),
      }),
      h("span", null, field.label, text),
    );
  }
  if (field.kind === "tariff") {
    return h(
      "fieldset",
      props,
      h("legend", null, field.label),
      text,
      h(
        "div",
        { class: "row wrap" },
        Object.entries(/** @type {Record<string, number>} */ (value)).map(([contract, units]) =>
          h(
            "div",
            { key: contract },
            numberField(capital(t(`contract_${contract}`)), String(units), field.min, field.max, (entered) =>
              put({ ...value, [contract]: Number(entered) }),
            ),
          ),
        ),
      ),
    );
  }
  if (field.kind === "subset") {
    const letters = String(value);
    return h(
      "fieldset",
      props,
      h("legend", null, field.label),
      text,
      h(
        "div",
        { class: "row" },
        (field.choices ?? []).map((choice) =>
          h(
            "label",
            { class: "check", key: choice.value },
            h("input", {
              type: "checkbox",
              checked: letters.includes(choice.value),
              onchange: () =>
                put(
                  (field.choices ?? [])
                    .map((one) => one.value)
                    .filter((one) => letters.includes(one) !== (one === choice.value))
                    .join(""),
                ),
            }),
            choice.label,
          ),
        ),
      ),
    );
  }
  let input;
  if (field.kind === "choice") {
    input = h(
      "select",
      { value, onchange: (/** @type {any} */ event) => put(event.target.value) },
      (field.choices ?? []).map((choice) => h("option", { value: choice.value, key: String(choice.value) }, choice.label)),
    );
  } else {
    input = h("input", {
      type: "number",
      inputmode: "numeric",
      min: field.min,
      max: field.max,
      value: value === null ? "" : String(value),
      onchange: (/** @type {any} */ event) => {
        const entered = event.target.value;
        put(entered === "" ? (field.kind === "int" ? standardValue : null) : Number(entered));
      },
    });
  }
  return h("label", props, h("span", null, field.label, text), input);
}
