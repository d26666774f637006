"""Tables as pixels: `rgb_array`, and what is built on it."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import RecordVideo

import marias_env
from marias_env.errors import RenderModeError
from marias_env.faces import rendering
from marias_env.showing import frames
from marias_env.showing.frames import render_frame
from tests.hidden import permuted, put

pytest.importorskip("resvg_py")
SHAPE = (620, 900, 3)


def test_aec_frames_follow_the_deal() -> None:
    env = marias_env.marias_v0.env(render_mode="rgb_array")
    env.reset(seed=4)
    seen = []
    for _ in range(12):
        frame = env.render()
        assert frame.shape == SHAPE
        assert frame.dtype == np.uint8
        seen.append(frame.tobytes())
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(np.flatnonzero(mask)[0]))
    assert len(set(seen)) == len(seen)


def test_equal_tables_are_equal_frames() -> None:
    first, second = (marias_env.DealBatch(1, seed=9) for _ in range(2))
    assert (render_frame(first) == render_frame(second)).all()
    assert (render_frame(first, perspective=0) != render_frame(first, perspective=1)).any()


def test_text_is_drawn_without_system_fonts() -> None:
    text = '<text x="5" y="40" font-size="36" font-family="DejaVu Sans">flek</text>'
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60">'
    drawn = frames.rasterise(f"{head}{text}</svg>")
    assert drawn.shape == (60, 120, 3)
    assert (drawn != frames.rasterise(f"{head}</svg>")).any()


@pytest.mark.parametrize("rules", sorted(marias_env.RULES))
def test_frames_do_not_leak(rules: str) -> None:
    batch = marias_env.DealBatch(6, rules=rules, seed=31)
    for _ in range(9):
        batch.step(batch.sample_legal())
    rng = np.random.default_rng(5)
    compared = 0
    for row in range(len(batch)):
        for seat in range(3):
            other = permuted(batch.deals[row], seat, batch.rules, rng)
            if other is None:
                continue
            mine = render_frame(batch, row, seat)
            copy = batch.copy()
            put(copy.deals, row, other)
            assert (render_frame(copy, row, seat) == mine).all()
            compared += 1
    assert compared > 6


def test_gymnasium_records_a_video(tmp_path: Path) -> None:
    pytest.importorskip("moviepy")
    env = gymnasium.make("marias_env:Marias-v0", render_mode="rgb_array")
    video = RecordVideo(env, str(tmp_path), episode_trigger=lambda episode: True)
    _, info = video.reset(seed=3)
    ended = False
    while not ended:
        action = int(np.flatnonzero(info["action_mask"])[0])
        _, _, ended, _, info = video.step(action)
    video.close()
    (written,) = tmp_path.glob("*.mp4")
    assert written.stat().st_size > 2000


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "NEEDED", ("resvg_py", "a_package_that_is_not_there"))
    for make in (
        lambda: marias_env.marias_v0.env(render_mode="rgb_array"),
        lambda: gymnasium.make("marias_env:Marias-v0", render_mode="rgb_array"),
    ):
        with pytest.raises(RenderModeError, match=r"a_package_that_is_not_there.*video"):
            make()


def test_both_tables_have_the_same_modes() -> None:
    assert marias_env.marias_v0.raw_env.metadata["render_modes"] == list(rendering.RENDER_MODES)
    assert marias_env.MariasEnv.metadata["render_modes"] == list(rendering.RENDER_MODES)
