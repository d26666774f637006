"""Mariáš as a native TorchRL environment: a batch of deals, with masks.

    from torchrl.envs.utils import check_env_specs
    from marias_env.integrations.torchrl import MariasTorchEnv

    env = MariasTorchEnv(num_envs=256, opponents="random", seed=0)
    check_env_specs(env)
    env.rollout(100, break_when_any_done=False)      # random legal actions

The batch size is `[num_envs]`; all rows are one array inside. Entries of its TensorDicts, B rows:

| entry | shape and type | what it is |
|---|---|---|
| `observation` | (B, F) float32 or int8 | what this seat sees (`marias_env.observation`) |
| `action_mask` | (B, 48) bool | its legal actions; all True once the episode is over |
| `seat` | (B, 1) int64 | whose decision the row is |
| `action` | (B,) int64, or (B, 48) one-hot | ids of `marias_env.ACTIONS` |
| `reward` | (B, 1), or (B, 3) with `all_seats` | units at the end of each deal, else 0 |
| `done`, `terminated` | (B, 1) bool | the episode is over |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from tensordict import TensorDict, TensorDictBase
from torchrl.data import Binary, Bounded, Categorical, Composite, OneHot, Unbounded
from torchrl.envs import EnvBase

from marias_env.actions import NUM_ACTIONS
from marias_env.faces.learner_options import LearnerOptions, with_learner_options
from marias_env.faces.learners import Learners, check_all_seats, check_transform
from marias_env.faces.spaces import observation_box
from marias_env.options import Choice, Flag, check
from marias_env.rules import Rules
from marias_env.seeds import Seed, row_seeds

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in `typing` from Python 3.11 on


class MariasTorchEnv(EnvBase):
    """Rows of deals: one learner in each, or every seat's decisions one after the other.

    With one learner a step is one of its decisions; the opponents play inside, and `reward` (B, 1)
    is the learner's, whoever made the last move. With `all_seats` a step is the decision of the
    seat on turn (`seat`), and `reward` (B, 3) has what each seat is paid; `seat_advantages` turns
    that into advantages of each decision.

    The action spec carries the mask, so random actions are legal ones. Under transforms that holds
    for the transformed environment if `torchrl.envs.ActionMask()` is among them.

    Args:
        num_envs: number of rows B.
        all_seats: every row is a decision of the seat on turn; without `opponents` and `seat`.
        reward_transform: applied to the array of rewards, say
            `lambda r: np.sign(r) * np.log2(1 + np.abs(r))`: payments double with every flek.
        categorical: integer actions; False: one-hot ones.
        device: where tensors are handed out; the deals are always in main memory.
        seed: first seed; `set_seed()` overrides it.
        **options: `LearnerOptions`: `opponents`, `rules`, `seat`, `episode`, `match`, `reward`,
            `illegal` (`"error"` or `"random"`), `dtype` (float32 by default).

    Raises:
        AgentError: no such opponents.
        RulesError: no such rules.
        OptionError: another argument that is none of the above.
    """

    @with_learner_options(dtype=np.float32)
    def __init__(
        self,
        num_envs: int = 1,
        *,
        all_seats: bool = False,
        reward_transform: Callable[[npt.NDArray[np.float64]], npt.NDArray[Any]] | None = None,
        categorical: bool = True,
        device: Any = "cpu",
        seed: Seed = None,
        **options: Unpack[LearnerOptions],
    ) -> None:
        check_all_seats(all_seats, options)
        check("illegal", options.get("illegal", "error"), Choice("error", "random"))
        check("categorical", categorical, Flag())
        learners = Learners(num_envs, all_seats=all_seats, **options)
        num_envs = len(learners)
        super().__init__(device=device, batch_size=[num_envs])
        self.learners = learners
        self._transform = check_transform(reward_transform)
        self._one_hot = not categorical
        self._seed = row_seeds(seed, num_envs)
        self._make_specs(num_envs)

    @property
    def rules(self) -> Rules:
        """The rule set."""
        return self.learners.batch.rules

    @property
    def all_seats(self) -> bool:
        """Whether every row is a decision of the seat on turn."""
        return self.learners.all_seats

    def _make_specs(self, rows: int) -> None:
        box = observation_box(self.learners.dtype)
        device = self.device
        self.observation_spec = Composite(
            observation=Bounded(
                low=torch.as_tensor(box.low).expand(rows, -1).clone(),
                high=torch.as_tensor(box.high).expand(rows, -1).clone(),
                dtype=torch.as_tensor(box.low).dtype,
                device=device,
            ),
            action_mask=Binary(NUM_ACTIONS, (rows, NUM_ACTIONS), dtype=torch.bool, device=device),
            seat=Categorical(3, (rows, 1), dtype=torch.int64, device=device),
            shape=(rows,),
            device=device,
        )
        if self._one_hot:
            self.action_spec = OneHot(NUM_ACTIONS, (rows, NUM_ACTIONS), device=device)
        else:
            self.action_spec = Categorical(NUM_ACTIONS, (rows,), dtype=torch.int64, device=device)
        width = 3 if self.all_seats else 1
        self.reward_spec = Unbounded((rows, width), dtype=torch.float32, device=device)
        done = Categorical(2, (rows, 1), dtype=torch.bool, device=device)
        self.done_spec = Composite(done=done, terminated=done.clone(), shape=(rows,), device=device)

    # ------------------------------------------------------------------ what TorchRL calls

    def _set_seed(self, seed: int | None) -> None:
        self._seed = row_seeds(seed, len(self.learners))

    def _reset(self, tensordict: TensorDictBase | None = None, **kwargs: Any) -> TensorDictBase:
        rows = None
        if tensordict is not None and "_reset" in tensordict:
            wanted = tensordict.get("_reset").reshape(self.batch_size).cpu().numpy()
            if not wanted.all():
                rows = np.flatnonzero(wanted)
        if rows is None:
            self.learners.deal(self._seed)
            self._seed = None  # the streams go on from there
        else:
            self.learners.deal(None, rows)
        self.learners.begin(rows)
        return self._present()

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        actions = tensordict.get("action")
        if self._one_hot:
            actions = actions.to(torch.uint8).argmax(dim=-1)
        learners = self.learners
        learners.act(learners.as_actions(actions.cpu().numpy()))
        rewards = learners.rewards()[:, None]
        if self.all_seats:
            rewards = learners.gained.astype(np.float64) * learners.unit
        if self._transform is not None:
            rewards = self._transform(rewards)
        out = self._present()
        out.set("reward", self._tensor(np.asarray(rewards, dtype=np.float32)))
        return out

    def _present(self) -> TensorDict:
        learners = self.learners
        viewers = learners.viewers()
        over = learners.over
        masks = learners.masks().view(np.bool_)
        masks[over] = True  # a distribution over no action at all would be full of NaNs
        mask = self._tensor(masks)
        self.action_spec.update_mask(mask)
        done = self._tensor(over[:, None])
        return TensorDict(
            {
                "observation": self._tensor(learners.observe(viewers)),
                "action_mask": mask,
                "seat": self._tensor(viewers[:, None]),
                "done": done,
                "terminated": done.clone(),
            },
            batch_size=self.batch_size,
            device=self.device,
        )

    def _tensor(self, array: npt.NDArray[Any]) -> torch.Tensor:
        return torch.from_numpy(array).to(self.device)


def seat_advantages(
    data: TensorDictBase, gamma: float = 1.0, lmbda: float = 0.95
) -> TensorDictBase:
    """Writes generalised advantages of every seat's own decisions, from an `all_seats` rollout.

    Consecutive rows belong to different seats, so an estimator that runs over them (TorchRL's
    `GAE`) would mix one seat's values with another's. Here each seat has a trajectory of its own:
    from one of its decisions to its next one, or to the end of the episode.

    Args:
        data: a (B, T) rollout with `seat`, `state_value` (B, T, 1) of the seat on turn, and
            `("next", "reward")` (B, T, 3); gets `advantage` and `value_target` (B, T, 1), and
            `valid` (B, T) bool: False for decisions after which the rollout has neither another
            decision of that seat nor the end of the episode (leave those out).
        gamma: discount from one decision of a seat to its next.
        lmbda: trace decay, likewise.

    Returns:
        `data`.
    """
    seats, values = data["seat"], data["state_value"].detach()
    rewards, dones = data["next", "reward"], data["next", "done"]
    advantages = torch.zeros_like(values)
    valid = torch.zeros_like(dones)
    paid = torch.zeros_like(rewards[:, 0])  # to each seat since its decision before, going back
    value, trace = torch.zeros_like(paid), torch.zeros_like(paid)
    known = torch.zeros_like(paid, dtype=torch.bool)
    for t in reversed(range(values.shape[1])):
        over = dones[:, t]
        paid, value, trace = (x.masked_fill(over, 0.0) for x in (paid, value, trace))
        known |= over
        paid = paid + rewards[:, t]
        seat = seats[:, t]
        valid[:, t] = known.gather(1, seat)
        delta = paid.gather(1, seat) + gamma * value.gather(1, seat) - values[:, t]
        advantages[:, t] = (delta + gamma * lmbda * trace.gather(1, seat)) * valid[:, t]
        value = value.scatter(1, seat, values[:, t])
        trace = trace.scatter(1, seat, advantages[:, t])
        paid = paid.scatter(1, seat, 0.0)
        known = known.scatter(1, seat, True)
    data["advantage"] = advantages
    data["value_target"] = advantages + values
    data["valid"] = valid.squeeze(-1)
    return data
